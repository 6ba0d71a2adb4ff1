"""Products: which instructions can do them, their operands and their loops."""
