"""A game at the keyboard: orders and dice typed in the terminal or read from a pipe.

Everything shown is the view of the side at the keyboard. If the sides see different things, the
terminal is cleared when the keyboard changes hands; a pipe gets a dividing line.
"""
