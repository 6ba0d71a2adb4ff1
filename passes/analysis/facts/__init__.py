"""What is known about values: ranges, divisors, aliases, tokens."""
