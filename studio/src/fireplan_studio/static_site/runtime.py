"""Python for browsers: one npm package at one version, held by its checksum, brought in when a site is built.

Where node is there, that Python compiles the modules with which it starts.
"""

import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import tomli

from fireplan.questions.errors import InputError


def runtime_files(tarball: Path | None) -> dict[str, bytes]:
    """Return the runtime's files by name, from its tarball, or brought in by npm where none is given.

    Raises ``InputError`` where it cannot be had or is not the one that is pinned, OSError where it
    cannot be read.
    """
    wanted = tomli.loads(
        (files("fireplan_studio.static_site") / "runtime.toml").read_text(encoding="utf-8")
    )
    content = _brought(wanted["name"]) if tarball is None else tarball.read_bytes()
    found = hashlib.sha512(content).hexdigest()
    if found != wanted["sha512"]:
        raise InputError(
            f"{tarball or 'npm'}: is not the pinned {wanted['name']} (its SHA-512 is {found[:16]}...)"
        )
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = {name: archive.extractfile(f"package/{name}") for name in wanted["files"]}
        return {name: file.read() for name, file in members.items() if file is not None}


def _brought(name: str) -> bytes:
    """Return the tarball as npm brings it, from the registry that it is set up for."""
    instead = f"Bring it from where there is a network (npm pack {name}), then name its file with --runtime."
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--pack-destination", folder, name]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)  # noqa: S603 - our own
        except FileNotFoundError:
            raise InputError(f"{name} cannot be had: npm is not installed. {instead}") from None
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            said = str(error.stderr or error).strip().splitlines()
            raise InputError(
                f"{name} cannot be had: {(said or ['npm failed'])[0]}. {instead}"
            ) from None
        return next(Path(folder).glob("*.tgz")).read_bytes()


def with_bytecode(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the runtime's files and the packages with the modules of a start compiled.

    As they are without node.

    Raises ``InputError`` where the studio does not start in them, or a game does not load.
    """
    if (node := shutil.which("node")) is None:
        return dict(contents)
    with tempfile.TemporaryDirectory() as name:
        folder, here = Path(name), files("fireplan_studio.static_site")
        for file, content in contents.items():
            (folder / file).write_bytes(content)
        (folder / "bytecode.py").write_bytes((here / "bytecode.py").read_bytes())
        script = folder / "compile.mjs"
        script.write_bytes((here / "compile.mjs").read_bytes())
        try:
            subprocess.run(  # noqa: S603 - ours
                [node, script, folder], check=True, capture_output=True, text=True, timeout=600
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            said = str(error.stderr or error).strip().splitlines()[-1]
            raise InputError(
                f"The studio does not start in the browser's Python: {said[:300]}"
            ) from None
        return {file: (folder / file).read_bytes() for file in contents}
