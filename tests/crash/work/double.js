return input.n * 2;
