"""A game at the keyboard: orders and dice typed in the terminal or read from a pipe.

Everything shown is the view of the side at the keyboard. If views differ, a screen separates the
sides.
"""
