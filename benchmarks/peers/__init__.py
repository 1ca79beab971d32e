"""Solutions of the benchmark jobs, written by hand as an expert of each library would write them."""
