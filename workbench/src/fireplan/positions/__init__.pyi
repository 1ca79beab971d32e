from fireplan.positions._atoms import spoken as spoken
from fireplan.positions._fields import fields_by_group as fields_by_group
from fireplan.positions._position import Position as Position
from fireplan.positions._position import position_of as position_of
from fireplan.positions._sources import PositionError as PositionError
from fireplan.positions._sources import Source as Source
from fireplan.positions._sources import Sources as Sources
