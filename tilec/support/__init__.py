"""What every part of tilec may import; it imports nothing else of tilec."""
