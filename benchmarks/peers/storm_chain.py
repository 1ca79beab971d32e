"""Solve missions with Storm's exact engine: J2 written by hand, and any mission fireplan exports.

Each has two formulations: time is counted in the state, as in fireplan's export, or left out of it
and bounded as a reward. All numbers are rationals, including those in the text. Bisimulation is not
compared, because stormpy offers it only for floats.
"""

import re
import tempfile
from fractions import Fraction
from pathlib import Path

import stormpy

J2 = """dtmc
// phase 0 radio, 1 access, 2 order, 3 error, 4 the phase is over; marker 0 none, 1 round, 2 fire, 3 fire that lapses
formula near = far<=1;
formula cap = marker=0 ? 6 : (far=0 ? 0 : (far<=3 ? 1 : 2));
formula fires = (marker=1 & far=0) | (marker=3 & near);
formula after = marker=1 ? 2 : (marker=2 ? 3 : 1);
module j2
 phase:[0..4] init 0; contact:bool init false; access:bool init false; hit:bool init false; over:bool init false;
 black:[0..8] init 8; red:[0..3] init 3; marker:[0..3] init 0; far:[0..6] init 0;
 [] phase=0 & marker<2 -> PASS:(contact'=true)&(phase'=1) + FAIL:(contact'=false)&(phase'=4);
 [] phase=0 & marker=2 -> PASS:(contact'=true)&(phase'=1)
   + FAIL:(contact'=false)&(marker'=3)&(hit'=hit|near)&(phase'=4);
 [] phase=0 & marker=3 -> PASS:(contact'=true)&(phase'=1)
   + FAIL:(contact'=false)&(access'=false)&(marker'=0)&(far'=0)&(phase'=4);
 [] phase=1 & access & marker!=3 -> (phase'=2);
 [] phase=1 & (!access | marker=3) & black+red=0 -> (access'=false)&(marker'=0)&(far'=0)&(phase'=4);
 [] phase=1 & (!access | marker=3) & black>0 & red>0 -> black/(black+red):(black'=black-1)&(access'=true)&(phase'=2)
   + red/(black+red):(red'=red-1)&(over'=red=2)&(access'=false)&(marker'=0)&(far'=0)&(phase'=4);
 [] phase=1 & (!access | marker=3) & black=0 & red>0 ->
   (red'=red-1)&(over'=red=2)&(access'=false)&(marker'=0)&(far'=0)&(phase'=4);
 [] phase=1 & (!access | marker=3) & black>0 & red=0 -> (black'=black-1)&(access'=true)&(phase'=2);
 [] phase=2 & fires -> (marker'=2)&(hit'=true)&(phase'=4);
 [] phase=2 & !fires & marker=2 & near -> (marker'=3)&(hit'=true)&(phase'=4);
 [] phase=2 & !fires & !(marker=2 & near) ->
   2/6:(far'=0)&(marker'=after)&(hit'=hit|(marker!=0&marker!=3))&(phase'=4) + 4/6:(phase'=3);
 [] phase=3 -> ERRORS;
 [] phase=4 & !over & TIME -> NEXT(phase'=0);
 [] phase=4 & (over | !(TIME)) -> true;
endmodule
rewards "time"
 phase=0 : 1;
endrewards
label "asked" = hit;
"""


def j2(phases, *, counted):
    """Return J2 as PRISM text, and the property to check: that this many phases hit the target."""
    errors = " + ".join(
        f"1/6:(far'=min({n},cap))&(marker'=after)&(hit'=hit|(marker!=0&marker!=3&min({n},cap)<=1))&(phase'=4)"
        for n in range(1, 7)
    )
    text = J2.replace("PASS", "(contact?30/36:26/36)").replace("FAIL", "(contact?6/36:10/36)")
    text = text.replace("ERRORS", errors)
    if counted:
        text = text.replace("module j2\n", f"module j2\n m:[1..{phases}] init 1;\n").replace(
            "TIME", f"m<{phases}"
        )
        return text.replace("NEXT", "(m'=m+1)&"), 'P=? [ F "asked" ]'
    text = text.replace("TIME", "true").replace("NEXT", "")
    return text, f'P=? [ F{{"time"}}<={phases} "asked" ]'


def exported(text, flag, *, counted):
    """Return the text of an export and the property to check.

    Unless ``counted``, the end of a moment is a reward instead of a variable.
    """
    moments = int(re.search(r"const int MOMENTS = (\d+);", text)[1])
    text = re.sub(r'rewards "\w+"\n.*?endrewards\n', "", text, flags=re.DOTALL)
    if counted:
        return text, f'P=? [ F "{flag}" ]'
    lines = []
    for line in text.splitlines():
        if line.startswith("  m : "):
            lines.append("  tick : bool init false;")
        elif line.startswith("  [] s="):
            guard, ways = line.rstrip(";").replace(" & m<MOMENTS", "").split(" -> ", 1)
            branches = [
                f"{way}&(tick'={'true' if 'm+1' in way else 'false'})" for way in ways.split(" + ")
            ]
            lines.append(
                f"{guard} -> {' + '.join(branches)};".replace("(m'=m+1)&", "").replace(
                    "&(m'=m+1)", ""
                )
            )
        elif "MOMENTS" not in line:
            lines.append(line)
    rewards = 'rewards "time"\n tick : 1;\nendrewards\n'
    return "\n".join(lines) + "\n" + rewards, f'P=? [ F{{"time"}}<={moments - 1} "{flag}" ]'


def answer(text, asked):
    """Return Storm's answer as a rational, parsed from the text."""
    with tempfile.NamedTemporaryFile("w", suffix=".pm") as file:
        file.write(text)
        file.flush()
        program = stormpy.parse_prism_program(str(Path(file.name)))
    (formula,) = stormpy.parse_properties(asked, program)
    model = stormpy.build_model[stormpy.Rational](program, [formula])
    found = stormpy.model_checking(model, formula, only_initial_states=True)
    return Fraction(str(found.get_value(model.initial_states[0])))
