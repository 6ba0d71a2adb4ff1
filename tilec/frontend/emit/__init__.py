"""From typed programs to the cuda_tile dialect."""
