"""How results leave the registers."""
