"""Measure the speed of the odds beside hand-written solutions, as ratios, after both sides agree.

Run ``python benchmarks/run.py [P1 P4 ...]`` (all by default). ``--against REVISION [S1 S9 ...]``
builds that version in a separate folder, runs both in turn and prints the table S1 to S13 with
ratios (the jobs are in ``speed.py``). Below it are the jobs with hand-written solutions: P4 with
S3, all of them with S12; ``--against REVISION S1`` prints only that row. The solutions need
``numpy``, ``icepool``, ``dyce`` and ``stormpy``. Times are processor time, the least of several
runs, so that load has little effect; ratios are comparable between machines, seconds are not.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import partial
from math import lcm
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))
import j2
from against import GOALS, against
from prism import prism
from timed import least, row, shipped

from fireplan.solver import (
    Analysis,
    Compiler,
    Ever,
    FirstFall,
    NumberLog,
    PreparedChain,
    Sampler,
    build_chain,
    exhausted,
    own_troops_under_fire,
    playout,
    solve,
    uncollected,
)
from fireplan.solver.passes import Reader, passes
from fireplan.solver.solving import focus
from fireplan_core import Effects, emit, step, update
from fireplan_core.chance import Fold, RandomFaces
from fireplan_core.play import Table, play_out
from fireplan_core.space import disc, distance


def p1():
    """Measure J2 from scratch, against a dictionary of fractions and icepool."""
    from peers import icepool_j2

    game = j2.scenario()
    ours, answer = least(lambda: j2.with_fireplan(game), 9)
    by_hand, same = least(j2.by_hand, 2)
    icepools, also = least(lambda: icepool_j2.hits(j2.PHASES), 3)
    assert answer == same == also
    assert 1 - answer[0] == j2.KNOWN
    row(
        "P1",
        "J2 from rules to fractions, against a dictionary of fractions",
        f"{by_hand / ours:.0f} x",
        ">= 20 x",
    )
    row("P1", "the same against icepool in its expert form", f"{icepools / ours:.0f} x", ">= 12 x")
    return ours


def p2():
    """Measure J2 with a larger pile."""
    small, _ = least(lambda: j2.with_fireplan(j2.scenario()), 9)
    large, answer = least(lambda: j2.with_fireplan(j2.scenario(black=80, red=30)), 5)
    assert sum(answer.values()) == 1
    row(
        "P2",
        "J2 with a pile of 80 and 30, time against 8 and 3",
        f"{large / small:.1f} x",
        "<= 8 x",
    )


def number(name):
    """Return a number of J2 that reports when a rule reads it, as the charts of a game do."""

    def read(self):
        self.note(name)
        return self.numbers.get(name, getattr(j2.J2, name))

    return property(read)


class Telling(j2.J2):
    """J2 with named numbers."""

    contact_on, kept_on, accurate_on = map(number, j2.NUMBERS)


def p3():
    """Measure J2 after changing one number."""
    noted = NumberLog()

    def scenario_with(**numbers):
        return j2.scenario(Telling, note=noted, numbers=numbers)

    before = Analysis(scenario_with(), j2.PHASES, compiler=Compiler(scenario_with(), noted=noted))
    assert 1 - before.solve(j2.Hits()).shares[0] == j2.KNOWN
    steps = {
        (name, getattr(j2.J2, name) + by): float("inf") for name in j2.NUMBERS for by in (-1, 1)
    }
    fresh = float("inf")
    for _ in range(3):  # alternate the numbers, so that a busy moment does not affect only one
        for (name, value), so_far in steps.items():
            changed = scenario_with(**{name: value})
            ours, answer = least(
                lambda g=changed, n=name: before.varied(g, {n}).solve(j2.Hits()).shares, 15
            )
            theirs, same = least(lambda n=name, v=value: j2.by_hand(**{n: v}), 1)
            assert answer == same
            steps[name, value] = min(so_far, ours)
            fresh = min(fresh, theirs)
    taken = f"{fresh / max(steps.values()):.0f}-{fresh / min(steps.values()):.0f} x"
    row(
        "P3",
        "J2, each number a step up or down, exact again, against a fresh one",
        taken,
        ">= 200 x",
    )


def half(first):
    """Sample half of the trajectories, in one of two processes."""
    sampler = Sampler(j2.scenario(), [j2.Hits()], j2.PHASES)
    start = time.perf_counter()
    sampler.draw(20_000_000, 1, first)
    return time.perf_counter() - start


def p4():
    """Measure trajectories a second."""
    from peers import numpy_j2

    n = 4_000_000
    sampler = Sampler(j2.scenario(), [j2.Hits()], j2.PHASES, engine="chain")
    ours, (drawn,) = least(lambda: sampler.draw(n, 1), 3)
    hand, counts = least(lambda: numpy_j2.hits(n // 40, 1), 5)
    exact = j2.with_fireplan(j2.scenario())
    for state, share in exact.items():
        p = float(share)
        assert abs(drawn.share(state) - p) <= 4 * (p * (1 - p) / n) ** 0.5
        assert abs(counts[state] * 40 / n - p) <= 5 * (p * (1 - p) * 40 / n) ** 0.5
    rate = f"{n / ours / 1e6:.0f} M/s, {hand * 40 / ours:.1f} x"
    row("P4", "J2 trajectories, against a hand-written simulation", rate, ">= 8 x")
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(half, (0, 1)))
        alone = next(iter(pool.map(half, (0,))))
        both = max(pool.map(half, (0, 20_000_000)))
    row(
        "P4",
        "two processes against one (needs two idle cores)",
        f"{2 * alone / both:.1f} x",
        ">= 1.8 x",
    )


def p5():
    """Measure logged playouts."""
    for name, game, goal in (
        ("J2", j2.scenario(), 5000),
        ("asl/village", shipped("asl/village"), 1000),
    ):
        table = play_out(Table(game, j2.PHASES), RandomFaces(3))
        compiler = Compiler(game)
        same = playout(compiler, j2.PHASES, RandomFaces(3))
        assert repr((same.journal, same.log)) == repr((table.journal, table.log))
        taken, _ = least(
            lambda c=compiler: [playout(c, j2.PHASES, RandomFaces(seed)) for seed in range(300)], 4
        )
        row(
            "P5",
            f"logged playouts of {j2.PHASES} moments, {name}",
            f"{300 / taken:,.0f} a second",
            f">= {goal:,}",
        )


def p6():
    """Measure twenty volleys."""
    from dyce import H

    from fireplan_wacht_am_rhein.resolution import reading

    part = shipped("wacht_am_rhein/crossroads").parts.resolution
    results = reading(part.results, 8, 0, part.die)
    ours, space = least(lambda: Fold("volleys", part.die, ((20, results),)).space, 50)

    def with_dyce():
        """Return the distribution with dyce, with hits and flags packed into one integer."""
        total = 20 @ H([add + 1000 * flag for add, flag in results.values()])
        found = {}
        for value, weight in total.items():
            key = (value % 1000, value >= 1000)
            found[key] = found.get(key, 0) + weight
        return found

    theirs, same = least(with_dyce, 20)
    whole, other = sum(weight for _, weight in space), sum(same.values())
    assert {o: Fraction(w, whole) for o, w in space} == {
        o: Fraction(w, other) for o, w in same.items()
    }
    row("P6", "20 volleys of Wacht am Rhein, against dyce", f"{theirs / ours:.0f} x", ">= 1 x")


def p7():
    """Measure every yardstick of a real mission."""

    @uncollected()  # ``compare.answer``, which solves all yardsticks, also pauses collection
    def everything(game, moments, *, exact=True):
        analysis = Analysis(game, moments, exact=exact)
        found = [analysis.solve(m()).shares for m in (FirstFall, exhausted, own_troops_under_fire)]
        return found, analysis.severity()

    for name in ("asl/village", "asl/set_piece"):
        for moments, goal in ((8, 0.15), (20, 0.4)):
            game = shipped(name)
            taken, (found, severity) = least(lambda g=game, m=moments: everything(g, m), 3)
            assert all(sum(shares.values()) == 1 for shares in (*found, severity))
            row(
                "P7",
                f"{name}, {moments} fire phases, all measures, cold",
                f"{taken:.2f} s",
                f"<= {goal} s",
            )
        taken, (close, _) = least(lambda g=game: everything(g, 20, exact=False), 3)
        for rounded, shares in zip(close, found, strict=True):
            assert all(
                abs(rounded[state] - share) <= share / 10**12 for state, share in shares.items()
            )
        row("P7", f"{name}, 20 fire phases in floats, not exact", f"{taken:.2f} s", "")


def p8():
    """Measure a whole process, as the median of seven."""
    command = [sys.executable, "-m", "fireplan.cli", "odds", "asl/village", "--moments", "8"]
    taken = []
    # Keep the bytecode, as an installed program does, even if this environment forbids it.
    with tempfile.TemporaryDirectory() as kept:
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": kept}
        for _ in range(1 + 7):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, env=env
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    code = "import sys; from fireplan.cli import main; main(['odds', 'asl/village']); sys.exit('numpy' in sys.modules)"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False
        ).returncode
        == 0
    )
    middle = f"{median(taken[1:]):.2f} s"
    row("P8", "fireplan odds asl/village --moments 8, process start to answer", middle, "<= 0.25 s")


def p9():
    """Measure the best use of J2."""
    import j2_best

    game = j2_best.scenario()
    ours, (found, _) = least(lambda: j2_best.with_fireplan(game), 5)
    theirs, same = least(j2_best.by_hand, 2)
    assert found.values[0] == same
    row(
        "P9",
        "best use of J2 from rules, exact",
        f"{ours:.2f} s, {theirs / ours:.1f} x by hand",
        "<= 0.1 s",
    )


class Marking(j2.J2):
    """J2 with an event for each place where fire falls."""

    @step(cite="J2")
    def attack(self, chance, view, counter):
        """Let fire for effect fall, and report its place."""
        battery = view.own("a", j2.Battery)
        return Effects(update(battery, counter=counter), emit("attack", "J2", at=battery.at))


def p10():
    """Measure how the cost grows with the hexes, the phases and the batteries of J2."""
    everywhere = disc(j2.TARGET, 4)

    def hit(places):
        measures = [
            Ever("attack", "at", tuple(h for h in everywhere if distance(h, place) <= 1))
            for place in places
        ]
        ready = PreparedChain(
            build_chain(Compiler(j2.scenario(Marking)), spliced=True, alike=True, horizon=j2.PHASES)
        )
        layers = focus(ready, measures, j2.PHASES)
        return [
            dict(_last(seen, measure).shares)
            for seen, measure in zip(layers, measures, strict=True)
        ]

    one, (alone,) = least(lambda: hit(everywhere[:1]), 3)
    many, found = least(lambda: hit(everywhere), 2)
    assert found[0] == alone
    assert alone[True] == j2.KNOWN
    row(
        "P10",
        f"chance of being hit for {len(everywhere)} hexes, against one hex",
        f"{many / one:.1f} x",
        "<= 10 x",
    )

    def ever(phases):
        chain = build_chain(Compiler(j2.scenario()), spliced=True, alike=True, horizon=phases)
        return solve(PreparedChain(chain), Ever("attack", "hit", (True,)), phases).shares[True]

    short, near = least(lambda: ever(20), 3)
    long, far = least(lambda: ever(800), 2)
    assert near < far < 1
    row(
        "P10",
        "J2 over 800 phases, against 20, hit at least once",
        f"{long / short:.1f} x",
        "<= 30 x",
    )
    shares = j2.with_fireplan(j2.scenario())
    one, _ = least(lambda: together(shares, 1), 5)
    eight, _ = least(lambda: together(shares, 8), 5)
    many, total = least(lambda: together(shares, 64), 3)
    assert sum(total.values()) == 1
    solo, _ = least(lambda: j2.with_fireplan(j2.scenario()), 5)
    taken = (
        f"{(solo + many) / (solo + one):.1f} x for 64, {(solo + eight) / (solo + one):.1f} x for 8"
    )
    row("P10", "hits of independent batteries together, against one battery", taken, "<= 64 x")


def s2():
    """Measure S2: many moments against 60 of them, because the chain repeats itself."""
    scenario = shipped("asl/village")

    def whole(moments):
        analysis = Analysis(scenario, moments)
        return [
            *map(analysis.solve, (FirstFall(), own_troops_under_fire(), exhausted()))
        ], analysis.severity()

    short, _ = least(lambda: whole(60), 2)
    for moments in (240, 1000):
        long, _ = least(partial(whole, moments), 1)
        row(
            "S2",
            f"asl/village over {moments:,} moments, against 60",
            f"{long / short:.1f} x",
            "<= 3 x",
        )


def s11():
    """Measure S11: exact answers against Storm's engine, in the better of two formulations."""
    from peers import storm_chain as storm

    def beside(job, ours, theirs):
        """Time each in turn, keeping the fastest run; all answers must be the same fraction."""
        best = [float("inf")] * (1 + len(theirs))
        for _ in range(5):
            answers = set()
            for n, call in enumerate((ours, *theirs)):
                seconds, answer = least(call, 1)
                best[n] = min(best[n], seconds)
                answers.add(answer)
            assert len(answers) == 1, answers
        ratio, (counted, bounded) = min(best[1:]) / best[0], best[1:]
        ways = f"counted {counted / best[0]:.1f} x, as a reward {bounded / best[0]:.1f} x"
        row("S11", job, f"{ratio:.1f} x ({ways})", ">= 10 x")

    fallen = Ever("fall", "on_target", (True, False))
    small, real = j2.scenario(), shipped("asl/village")
    for job, game, measure, moments in (
        ("J2, hit in 8 phases", small, Ever("attack", "hit", (True,)), 8),
        ("J2, hit in 80 phases", small, Ever("attack", "hit", (True,)), 80),
        ("asl/village, fire in 8 moments", real, fallen, 8),
        ("asl/village, fire in 20 moments", real, fallen, 20),
    ):
        if game is real:
            text = prism(Analysis(game, moments))
            texts = [
                storm.exported(text, "delivered", counted=counted) for counted in (True, False)
            ]
        else:
            texts = [storm.j2(moments, counted=counted) for counted in (True, False)]

        def explored(game=game, moments=moments):
            """Return the chain, explored from the rules."""
            if game is not real:
                return build_chain(Compiler(game), spliced=True, alike=True, horizon=moments)
            analysis = Analysis(game, moments)
            given = {
                "apart": analysis.separable,
                "spliced": True,
                "horizon": moments,
                "moments": moments,
            }
            return build_chain(analysis.compiler, **given)

        def passed(chain, measure=measure, moments=moments):
            """Return the fraction, computed from the chain."""
            return solve(PreparedChain(chain), measure, moments).shares[True]

        theirs = [partial(storm.answer, *one) for one in texts]
        beside(f"{job}: from the rules, against a text", lambda: passed(explored()), theirs)
        beside(f"{job}: from a chain, against a text", partial(passed, explored()), theirs)


def _last(seen, measure):
    for after in passes(seen, Reader(measure)):
        answer = after
    return answer()


def together(shares, batteries):
    """Return the hits of independent batteries, by repeated convolution of one distribution."""
    common = lcm(*(share.denominator for share in shares.values()))
    weights = [int(shares.get(n, 0) * common) for n in range(max(shares) + 1)]
    bits = (common**batteries).bit_length() + 1
    packed = sum(weight << bits * n for n, weight in enumerate(weights)) ** batteries
    mask, whole = (1 << bits) - 1, common**batteries
    return {
        n: Fraction(packed >> bits * n & mask, whole)
        for n in range((len(weights) - 1) * batteries + 1)
    }


JOBS = {f.__name__.upper(): f for f in (p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, s2, s11)}


def main():
    """Run the jobs named on the command line."""
    given = sys.argv[1:]
    if "--help" in given:
        print(__doc__)
        return
    if "--against" in given:
        where = given.index("--against")
        asked = [name.upper() for name in (*given[:where], *given[where + 2 :])]
        given = [name for name in asked if name in JOBS and name not in GOALS]
        if not asked or asked != given:
            against(sys.argv[where + 2], [name for name in asked if name not in given])
        if asked and not given:
            return
    wanted = [name.upper() for name in given] or list(JOBS)
    unknown = [name for name in wanted if name not in JOBS]
    if unknown:
        sys.exit(f"there is no {', '.join(unknown)}; there are {', '.join(JOBS)}")
    print(f"{'':4s} {'job':66s} {'measured':34s} goal")
    for name in wanted:
        try:
            JOBS[name]()
        except ModuleNotFoundError as error:
            row(name, "not run", f"{error.name} is not installed", "see requirements-dev.txt")


if __name__ == "__main__":
    main()
