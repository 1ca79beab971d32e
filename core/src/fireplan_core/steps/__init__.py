"""Steps: the effects that a rule returns, the view it reads through, and the base class of parts."""
