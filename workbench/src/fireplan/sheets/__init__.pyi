from fireplan.sheets.games import SheetGame as SheetGame
from fireplan.sheets.games import is_sheet as is_sheet
from fireplan.sheets.games import read_sheet as read_sheet
from fireplan.sheets.tables import kinds_of as kinds_of
