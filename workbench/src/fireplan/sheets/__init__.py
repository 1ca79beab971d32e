"""Sheets: games made of ready parts, each described by one TOML file without any Python."""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
