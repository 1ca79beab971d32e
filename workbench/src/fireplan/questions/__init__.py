"""The questions, one class each, and their results: printed, drawn, saved, handed on as data."""
