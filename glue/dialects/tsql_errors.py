"""What SQL Server refuses, by its number."""

from __future__ import annotations

from glue.dialects.errors import DialectError


class TSQLError(DialectError):
    """SQL Server refuses this: `code` is the number of its message (102), the words are ours."""
