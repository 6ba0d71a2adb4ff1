"""Facts about a typed program that the planner asks for."""
