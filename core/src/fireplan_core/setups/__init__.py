"""Neutral engagements, and the staging that turns them into the setup of a table."""
