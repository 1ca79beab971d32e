"""The front door: questions asked in Python, and results that print, draw, and hand themselves on as data."""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
