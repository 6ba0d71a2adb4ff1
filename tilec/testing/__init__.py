"""Arrays, references and comparisons: is a result right?"""
