"""Read-only facts about kernels that several passes use."""
