"""Units, assets and orders of Battlegroup Clash for several tests: a target of red, and blue's
weapons against it.
"""

FOOT = {"id": "target", "side": "red", "east": 24_500, "north": 21_500}
EYES = {
    "id": "eyes",
    "side": "blue",
    "role": "hq",
    "kind": "tracked",
    "east": 24_500,
    "north": 24_000,
}
TUBES = {
    "id": "tubes",
    "side": "blue",
    "role": "mortar",
    "kind": "tracked",
    "east": 24_500,
    "north": 28_000,
}
GUNS = {"id": "one", "kind": "artillery", "target": "target"}
FPV = {"id": "one", "kind": "fpv", "target": "target"}
MORTAR = {"id": "one", "kind": "mortar", "unit": "tubes", "target": "target"}
PLAN = ("E25/N22",)
CALL = ("requests.activate", "fire", {"by": "blue", "asset": "one"})
FLY = ("requests.activate", "drone", {"by": "blue", "at": (25_000, -22_000)})
