"""The way of one kernel through the stages, from a program or a dump to an artifact."""
