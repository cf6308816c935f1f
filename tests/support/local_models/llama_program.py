"""llama.cpp's server, until standard input ends: with whoever started it, however that ends.

Runs in the server's own environment, started by `serving`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import xllamacpp


def main() -> None:
    """Serve one model on loopback."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--alias", required=True)
    parser.add_argument("--template", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    given = parser.parse_args()
    parameters = xllamacpp.CommonParams()
    parameters.model.path = given.model
    parameters.model_alias = {given.alias}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = given.port
    parameters.n_ctx = given.context
    parameters.n_parallel = 2  # the beginnings of two conversations stay ready
    parameters.n_gpu_layers = 0
    parameters.cpuparams.n_threads = given.threads
    parameters.cpuparams_batch.n_threads = given.threads
    parameters.use_jinja = True
    parameters.offline = True
    parameters.chat_template = Path(given.template).read_text("utf-8")
    server = xllamacpp.Server(parameters)  # serves from here on, in threads of its own
    sys.stdin.buffer.read()
    del server


if __name__ == "__main__":
    main()
