"""Which layouts tiles may have, what they cost, and how operations link them."""
