"""Real models without the internet: a small LLM behind llama.cpp's server, from packages pinned by hash."""

from __future__ import annotations
