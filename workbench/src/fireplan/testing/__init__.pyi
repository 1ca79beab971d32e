from fireplan.testing._games import assert_monotone as assert_monotone
from fireplan.testing._games import catalogue as catalogue
from fireplan.testing._games import for_every_game as for_every_game
from fireplan.testing._games import sources_of as sources_of
from fireplan.testing._stories import Story as Story
from fireplan.testing._stories import orders as orders
from fireplan.testing._stories import positions as positions
from fireplan.testing._stories import stories as stories
