"""What a compilation is asked for, and what compiler and launcher agree on."""
