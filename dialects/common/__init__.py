"""What several dialects share: base classes of twin operations, effects and verifier helpers."""
