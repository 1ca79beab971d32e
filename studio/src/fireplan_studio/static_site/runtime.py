"""Python for browsers: an npm package pinned by version and checksum, used to build a site.

If node is installed, that Python also compiles the modules that it needs at its start.
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

from fireplan.errors import InputError


def runtime_files(tarball: Path | None) -> dict[str, bytes]:
    """Return the files of the runtime by name, from its tarball or downloaded with npm.

    Raises ``InputError`` if the tarball cannot be downloaded or is not the pinned one, and
    ``OSError`` if it cannot be read.
    """
    pinned = tomli.loads(
        (files("fireplan_studio.static_site") / "runtime.toml").read_text(encoding="utf-8")
    )
    content = _downloaded(pinned["name"]) if tarball is None else tarball.read_bytes()
    checksum = hashlib.sha512(content).hexdigest()
    if checksum != pinned["sha512"]:
        raise InputError(
            f"{tarball or 'npm'}: not the pinned {pinned['name']} (its SHA-512 is {checksum[:16]}...)"
        )
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = {name: archive.extractfile(f"package/{name}") for name in pinned["files"]}
        return {name: file.read() for name, file in members.items() if file is not None}


def _downloaded(name: str) -> bytes:
    """Return the tarball that npm downloads from its configured registry.

    Raises ``InputError`` if npm is not installed or fails.
    """
    instead = f"Download it elsewhere (npm pack {name}), then name its file with --runtime."
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--pack-destination", folder, name]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)  # noqa: S603 - a fixed command
        except FileNotFoundError:
            raise InputError(
                f"{name} cannot be downloaded: npm is not installed. {instead}"
            ) from None
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            lines = str(error.stderr or error).strip().splitlines() or ["npm failed"]
            raise InputError(f"{name} cannot be downloaded: {lines[0]}. {instead}") from None
        return next(Path(folder).glob("*.tgz")).read_bytes()


def with_bytecode(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of the runtime and packages, with the modules needed at start compiled.

    Without node they are returned unchanged. Raises ``InputError`` if the studio does not start
    with them, or a game does not load.
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
            subprocess.run(  # noqa: S603 - our own script
                [node, script, folder], check=True, capture_output=True, text=True, timeout=600
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            line = str(error.stderr or error).strip().splitlines()[-1]
            raise InputError(
                f"The studio does not start in the browser's Python: {line[:300]}"
            ) from None
        return {file: (folder / file).read_bytes() for file in contents}
