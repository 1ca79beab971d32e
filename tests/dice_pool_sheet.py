"""The figures of a sheet with a pool of dice, as they are typed on the design page."""

FIGURES = {
    "delays.delay": "2",
    "delays.minutes": "3",
    "areas.accurate": "2",
    "areas.extents": "1-3 = 1\n4-6 = 2",
    "areas.radius": "1",
    "areas.duration": "1",
    "resolution.pool": "2",
    "resolution.hit": "5",
    "resolution.wounds": "1",
    "resolution.saves": "woods = 6",
}
