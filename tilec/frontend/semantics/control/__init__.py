"""Control flow over abstract values: branches, loops, jumps, and what variables are after them."""
