"""Combat Commander, from second-hand sources."""
