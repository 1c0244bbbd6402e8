return input.reduce((sum, number) => sum + number, 0)
