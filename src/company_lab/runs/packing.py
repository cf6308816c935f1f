"""How traces and blobs lie in a store: zstandard over canonical JSON, traces with a dictionary of their words."""

from __future__ import annotations

import hashlib

import zstandard

from company_lab.formats.canonical import NotJson, parse_own
from company_lab.formats.errors import CompanyLabError
from company_lab.runs.trace_words import TRACE_WORDS
from company_lab.traces import Record, Trace

CODEC = "zstd"
TRACE_CODEC = "zstd-traces-1"
_LEVEL = 1

# One context each: making one costs more than packing a trace. They belong to the thread that stores.
_compressor = zstandard.ZstdCompressor(level=_LEVEL)
_words = zstandard.ZstdCompressionDict(TRACE_WORDS, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
_words.precompute_compress(level=_LEVEL)
_trace_compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=_words)
_decompressors = {
    CODEC: zstandard.ZstdDecompressor(),
    TRACE_CODEC: zstandard.ZstdDecompressor(dict_data=_words),
}


class UnknownCodec(CompanyLabError):
    """Packed in a way this version does not know."""


def pack(data: bytes) -> bytes:
    """Compressed bytes that `unpack` reads with the codec `CODEC`."""
    return _compressor.compress(data)


def pack_trace(data: bytes) -> bytes:
    """The bytes of a trace, compressed so that `unpack` reads them with the codec `TRACE_CODEC`."""
    return _trace_compressor.compress(data)


def unpack(data: bytes, codec: str) -> bytes:
    """The bytes that were packed. Raises `UnknownCodec`, and `CompanyLabError` for damaged data."""
    decompressor = _decompressors.get(codec)
    if decompressor is None:
        raise UnknownCodec(f"packed as {codec!r}, which this version does not read: use a newer company-lab")
    try:
        return decompressor.decompress(data)
    except zstandard.ZstdError as error:
        raise CompanyLabError(f"damaged: {error}") from None


def sha256(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def text_digest(text: str) -> str:
    """SHA-256 of a text, in hexadecimal: what a store keeps it under."""
    return sha256(text.encode("utf-8", "surrogatepass"))


def trace_of(data: bytes) -> Trace:
    """The trace whose `bytes()` these are."""
    try:
        lines = [parse_own(line) for line in data.decode("ascii").splitlines()]
    except (NotJson, ValueError) as error:
        raise CompanyLabError(f"damaged: {error}") from None
    records: list[Record] = [record for record in lines if isinstance(record, dict)]
    return Trace(records)
