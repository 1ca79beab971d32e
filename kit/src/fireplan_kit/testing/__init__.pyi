from fireplan_kit.testing.games import assert_monotone as assert_monotone
from fireplan_kit.testing.games import catalogue as catalogue
from fireplan_kit.testing.games import for_every_game as for_every_game
from fireplan_kit.testing.games import sources_of as sources_of
from fireplan_kit.testing.strategies import PlayedMission as PlayedMission
from fireplan_kit.testing.strategies import orders as orders
from fireplan_kit.testing.strategies import played_missions as played_missions
from fireplan_kit.testing.strategies import positions as positions
