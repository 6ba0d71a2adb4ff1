"""Rules for loads and stores: arrays, shared memory, TMA, single elements."""
