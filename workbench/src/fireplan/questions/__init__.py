"""The questions asked in Python, one module each, and their results: printed, drawn, saved, as data."""
