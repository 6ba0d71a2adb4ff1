"""Text of the generated pages and regions under docs/; `tools/gen_docs.py` writes them."""
