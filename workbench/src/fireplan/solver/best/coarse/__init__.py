"""Upper bounds from coarse models, which forget every place; ``bounds`` tries all of them."""
