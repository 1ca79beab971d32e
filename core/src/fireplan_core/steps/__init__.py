"""Steps: what a rule may answer, how it reads, and what a part hands over."""
