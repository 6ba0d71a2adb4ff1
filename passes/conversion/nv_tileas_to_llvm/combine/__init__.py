"""Rules for reductions and scans."""
