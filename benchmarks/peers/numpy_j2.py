"""Simulate J2 by hand in numpy, with one array for each field and all trajectories at once."""

import numpy as np

NONE, SR, FFE2, FFEC = range(4)


def hits(trajectories, seed, phases=8):
    """Return the number of trajectories for each number of phases that hit the target."""
    draw = np.random.Generator(np.random.SFC64(seed))
    n = trajectories
    contact, access, over = (np.zeros(n, np.bool_) for _ in range(3))
    black, red = np.full(n, 8, np.int8), np.full(n, 3, np.int8)
    counter, off, count = (np.zeros(n, np.int8) for _ in range(3))
    for _ in range(phases):
        dice = draw.integers(1, 7, (2, n), dtype=np.uint8).sum(axis=0, dtype=np.uint8)
        made = ~over & (dice <= np.where(contact, 9, 8))
        silent = ~over & ~made
        contact = made.copy()
        falling = silent & (counter == FFE2)
        lapsed = silent & (counter == FFEC)
        count += falling & (off <= 1)
        counter[falling] = FFEC
        drawing = made & (~access | (counter == FFEC))
        chits = (black + red).astype(np.float32)
        got = drawing & (draw.random(n, dtype=np.float32) * chits < black)
        refused = drawing & ~got
        black -= got
        red -= refused
        over |= refused & (red == 1)
        access = (access | got) & ~refused & ~lapsed
        gone = refused | lapsed
        counter[gone] = NONE
        off[gone] = 0
        acting = made & ~refused
        stay = acting & (((counter == SR) & (off == 0)) | ((counter >= FFE2) & (off <= 1)))
        shoot = acting & ~stay
        cap = np.where(counter == NONE, 6, -(-off // 3))
        extent = np.minimum(draw.integers(1, 7, n, dtype=np.int8), cap)
        landed = np.where(draw.integers(1, 7, n, dtype=np.uint8) <= 2, 0, extent)
        off = np.where(shoot, landed, off).astype(np.int8)
        effect = (shoot & ((counter == SR) | (counter == FFE2))) | stay
        count += effect & (off <= 1)
        staying = np.where(counter == FFE2, FFEC, FFE2)
        shooting = np.where(counter == SR, FFE2, np.where(counter == FFE2, FFEC, SR))
        counter = np.where(stay, staying, np.where(shoot, shooting, counter)).astype(np.int8)
    return np.bincount(count, minlength=phases + 1)
