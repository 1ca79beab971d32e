"""Scenarios: neutral engagements, and how a table is set up."""
