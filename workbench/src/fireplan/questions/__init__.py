"""The questions, one class each, and their results: printed, drawn, saved, or returned as data."""
