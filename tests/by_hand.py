"""A distribution made visible without installing it: its sources and an entry point on a new
process's path.
"""

from __future__ import annotations

import os
import subprocess
import sys


def made_visible(source, key, site):
    """Return the environment of a process that sees the game in ``source`` (its ``src`` folder) as
    installed.
    """
    info = site / f"fireplan_{key}-0.1.0.dist-info"
    info.mkdir(parents=True)
    name = key.replace("_", "-")
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: fireplan-{name}\nVersion: 0.1.0\n"
    )
    (info / "entry_points.txt").write_text(f"[fireplan.games]\n{key} = fireplan_{key}\n")
    path = os.pathsep.join(filter(None, (str(site), str(source), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


def fireplan(environment, folder, *arguments):
    """Run the command in a folder; return the finished process."""
    command = [sys.executable, "-m", "fireplan.cli", *arguments]
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
