"""Steps: the effects of rules, the view through which they read, and the base class of parts."""
