"""Exhaustive search over the plans of a kernel: what tools.bench.planner is made of."""
