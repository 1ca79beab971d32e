"""Hand-written solutions of the benchmark jobs, each in the way an expert of its library would write it."""
