"""The tables of a store, in SQLAlchemy Core; nothing here is particular to SQLite.

`episodes` holds one row per attempt with everything about it, what figures need first and the packed trace
last: a transaction costs mostly by the pages it touches, so whatever is written together lies together. Timings
are the only wall times and enter no digest. `verdicts` holds what an episode was given when it was judged again.
`filed` holds what is known about suites beside their runs, appended and never changed; older stores lack it.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)

FORMAT = 1

metadata = MetaData()

about = Table(
    "company_lab_store",
    metadata,
    Column("format", Integer, nullable=False),
    Column("written_by", Text, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("run", Text, nullable=False, unique=True),
    Column("created", Text, nullable=False),
    Column("ended", Text),
    Column("status", Text, nullable=False),
    Column("planned", Integer, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("plan", Text, nullable=False),
)

episodes = Table(
    "episodes",
    metadata,
    Column("episode", Integer, primary_key=True),
    Column("run", Text, ForeignKey("runs.run", ondelete="CASCADE"), nullable=False),
    Column("scenario", Text, nullable=False),
    Column("trial", Integer, nullable=False),
    Column("schedule", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("life", Integer, nullable=False),
    Column("superseded", Integer, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("stop", Text),
    Column("layer", Text),
    Column("evidence", Text, nullable=False),
    Column("error", Integer, nullable=False),
    Column("recovered", Integer, nullable=False),
    Column("cost_usd", Text),
    Column("simulated_ms", Integer),
    Column("calls", Integer, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("trace_digest", Text, nullable=False),
    Column("trajectory", Text, nullable=False),
    Column("fault_kinds", Text, nullable=False),
    Column("grading", Text, nullable=False),
    Column("verdict", Text),  # none: passed, and nothing more to say
    Column("wall_ms", Float),
    Column("cpu_ms", Float),
    Column("timings", Text),  # whatever else was measured
    Column("codec", Text, nullable=False),
    Column("trace", LargeBinary, nullable=False),
)
narrow = tuple(column for column in episodes.c if column.name not in ("codec", "trace"))
"""All columns but the trace."""

# The only index of the hot path: every page a transaction touches costs more than its rows. That no attempt
# is stored twice follows from it, since a further attempt is admitted only after the one that counts.
Index(
    "one_effective_row_per_cell",
    episodes.c.run,
    episodes.c.scenario,
    episodes.c.trial,
    episodes.c.schedule,
    episodes.c.life,
    unique=True,
    sqlite_where=text("superseded = 0"),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("episode", Integer, ForeignKey("episodes.episode", ondelete="CASCADE"), nullable=False),
    Column("grading", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("document", Text),  # as `episodes.verdict`
    PrimaryKeyConstraint("episode", "grading"),
    sqlite_with_rowid=False,
)

blobs = Table(
    "blobs",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("codec", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

filed = Table(
    "filed",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("document", Text, nullable=False),
)
