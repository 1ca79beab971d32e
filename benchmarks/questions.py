"""Time reading a position, listing its legal orders and asking for a chance, in milliseconds.

Run ``python benchmarks/questions.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import fireplan as fp

SPOTTED = 'fp1 asl/village "turn 2 PFPh" a{stage=spotting round=@H6 black=7 contact access} > german?requests.fire(a)'


def least(ask: Callable[[], object], times: int = 5) -> float:
    """Return the milliseconds of the fastest of several calls."""
    found = []
    for _ in range(times):
        begun = perf_counter()
        ask()
        found.append(perf_counter() - begun)
    return min(found) * 1000


def main() -> None:
    """Print each figure with its goal."""
    spotted, opening = fp.position(SPOTTED), fp.position("asl/village")
    print(f"a position from a line: {least(lambda: fp.position(SPOTTED)):.2f} ms (5 to reach)")
    others = iter(
        [fp.position(SPOTTED.replace("H6", hex_)) for hex_ in ("K5", "G4", "F3", "J6", "E5")]
    )
    print(
        f"all legal orders of an ASL board: {least(lambda: next(others).legal()):.1f} ms (20 to reach),",
        end=" ",
    )
    print(f"asked again {least(spotted.legal):.1f} ms")
    begun = least(lambda: opening.chance("fall", by="turn 4"), 2)
    later = least(lambda: spotted.chance("fall", by="turn 4"), 2)
    print(
        f"the chance of delivery by turn 4: from turn 2 {later:.0f} ms, from the opening {begun:.0f} ms"
    )


if __name__ == "__main__":
    main()
