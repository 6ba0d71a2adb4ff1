"""Arguments of a call: arrays, scalars, and what a kernel is compiled for because of them."""
