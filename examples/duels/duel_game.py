"""Play a scenario at random under OpenSpiel's checks: python examples/duels/duel_game.py asl/village."""

import sys

import pyspiel

from fireplan.open_spiel import game

pyspiel.random_sim_test(game(*sys.argv[1:]), num_sims=1, serialize=False, verbose=True)
