"""Measure how an exact answer's time grows with moments, batteries, targets and chits.

    python benchmarks/scaling.py [PICTURE]

The times are printed, and drawn with their laws into a .svg or .png file. They are processor times,
the least of several runs, from rules to fractions with nothing cached. The law is the exponent of
the straight line through the upper half of the points on log-log axes: time grows as the amount to
that power.
"""

import sys
from math import exp, log, log10
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import j2
from run import Marking, together
from speed import measured
from timed import least

from fireplan.draw.palette import SERIES
from fireplan.draw.svg import png, points, template_environment
from fireplan.solver import Compiler, Ever, PreparedChain, build_chain
from fireplan.solver.passes import Reader, passes
from fireplan.solver.solving import focus
from fireplan_core.space import disc, distance

WIDE, HIGH, LEFT, TOP = 300, 230, 70, 60
PICTURE = """{% extends "picture.svg.j2" %}{% import "_marks.svg.j2" as marks %}
{% block body %}
{{ marks.text((16, 26), "Processor seconds of an exact answer, and the law that they follow", 15, bold=true) }}
{% for at, title, across, upward, law, found, spots in panels %}<g {{ marks.move(at) }}>
{% for y, words in upward %}<path d="M0,{{ y }}h{{ wide }}" stroke="{{ grid }}"/>
{{ marks.text((-8, y + 4), words, 11, anchor="end") }}{% endfor %}
{% for x, words in across %}{{ marks.text((x, high + 18), words, 11, anchor="middle") }}{% endfor %}
<rect width="{{ wide }}" height="{{ high }}" fill="none" stroke="{{ line }}"/>
<polyline points="{{ law }}" fill="none" stroke="{{ colours[1] }}" stroke-width="6" stroke-opacity="0.4"/>
<polyline points="{{ found }}" fill="none" stroke="{{ colours[0] }}" stroke-width="2"/>
{% for x, y in spots %}<circle cx="{{ x }}" cy="{{ y }}" r="4" fill="{{ colours[0] }}"/>
{% endfor %}
{{ marks.text((0, -10), title, 13, bold=true) }}</g>
{% endfor %}
{% if legend %}{{ marks.text(legend, "thin: measured; broad: its law", fill=soft) }}{% endif %}
{% endblock %}"""


def moments(count):
    """Compute the hits of J2 over ``count`` phases."""
    return j2.with_fireplan(j2.scenario(), count)


def village(count):
    """Compute all measures of asl/village over ``count`` fire phases."""
    return measured("asl/village", count)


def batteries(count):
    """Compute the joint hits of ``count`` independent batteries, given those of one."""
    return together(ONE, count)


ONE = j2.with_fireplan(j2.scenario())


def targets(count):
    """Compute the chance of being hit for each of ``count`` hexes."""
    places = disc(j2.TARGET, 6)[:count]
    ready = PreparedChain(
        build_chain(Compiler(j2.scenario(Marking)), spliced=True, alike=True, horizon=j2.PHASES)
    )
    measures = [
        Ever("attack", "at", tuple(h for h in disc(j2.TARGET, 7) if distance(h, p) <= 1))
        for p in places
    ]
    for seen, measure in zip(focus(ready, measures, j2.PHASES), measures, strict=True):
        *_, after = passes(seen, Reader(measure))
        assert sum(after().shares.values()) == 1


def chits(count):
    """Compute J2 with ``count`` black chits, and three red ones for every eight of them."""
    return j2.with_fireplan(j2.scenario(black=count, red=count * 3 // 8))


CURVES = (
    ("moments", moments, (8, 16, 32, 64, 128, 256, 512, 1024), 3),
    ("moments, asl/village", village, (8, 15, 30, 60, 120, 240), 1),
    ("batteries, one solved", batteries, (8, 16, 32, 64, 128, 256), 3),
    ("targets", targets, (1, 4, 16, 61, 127), 2),
    ("chits", chits, (8, 16, 32, 64, 128, 256), 3),
)


def law(found):
    """Return slope and intercept of the line through the upper half of the points, by least squares
    of logarithms; the slope is the exponent.
    """
    upper = [(log(x), log(y)) for x, y in found[len(found) // 2 :]]
    x, y = (sum(column) / len(upper) for column in zip(*upper, strict=True))
    slope = sum((a - x) * (b - y) for a, b in upper) / sum((a - x) ** 2 for a, _ in upper)
    return slope, y - slope * x


def panel(title, found, at):
    """Return one curve on log-log axes, with the line of its law."""
    lowest, highest = min(y for _, y in found), max(y for _, y in found)
    ends = log10(found[0][0]), log10(found[-1][0])
    floor, ceiling = log10(lowest) - 0.15, max(log10(highest), log10(lowest) + 1) + 0.15

    def spot(x, y):
        return (log10(x) - ends[0]) / (ends[1] - ends[0]) * WIDE, HIGH * (ceiling - log10(y)) / (
            ceiling - floor
        )

    ticks = [
        m * 10**p for p in range(-4, 3) for m in (1, 2, 5) if floor <= log10(m * 10**p) <= ceiling
    ]
    slope, offset = law(found)
    half = found[len(found) // 2][0], found[-1][0]
    line = [spot(x, exp(offset + slope * log(x))) for x in half]
    across = [(spot(x, 1)[0], x) for x, _ in found]
    upward = [(spot(1, y)[1], f"{y:g} s") for y in ticks]
    spots = [spot(*p) for p in found]
    title = f"{title}: as the amount to the power {slope:.2f}"
    return at, title, across, upward, points(line), points(spots), spots


def main():
    """Measure, print and draw."""
    panels = []
    for number, (title, job, amounts, runs) in enumerate(CURVES):
        found = [(amount, least(lambda j=job, a=amount: j(a), runs)[0]) for amount in amounts]
        print(
            f"{title:22s} {'  '.join(f'{x}: {y:.4f} s' for x, y in found)}  power {law(found)[0]:.2f}",
            flush=True,
        )
        at = LEFT + number % 2 * (WIDE + 90), TOP + number // 2 * (HIGH + 70)
        panels.append(panel(title, found, at))
    rows = (len(panels) + 1) // 2
    legend = (LEFT + WIDE + 90, TOP + (rows - 1) * (HIGH + 70) + 20) if len(panels) % 2 else None
    size = {"width": LEFT + 2 * WIDE + 110, "height": TOP + rows * (HIGH + 70)}
    if len(sys.argv) > 1:
        drawing, file = (
            template_environment("fireplan.draw").from_string(PICTURE),
            Path(sys.argv[1]),
        )
        picture = drawing.render(
            **size, panels=panels, wide=WIDE, high=HIGH, colours=SERIES, legend=legend
        )
        file.write_bytes(png(picture) if file.suffix == ".png" else picture.encode())


if __name__ == "__main__":
    main()
