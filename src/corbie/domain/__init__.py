"""What Corbie decides: values, rules and formats, with no input or output."""
