"""What follows the products of a tile: stores, slices, what can be deferred."""
