"""Steps: the effects of rules, the view they read through, and the base class of parts."""
