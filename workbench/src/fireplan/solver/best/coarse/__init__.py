"""Upper bounds from coarse models, in which every place is forgotten: ``bounds`` has them all."""
