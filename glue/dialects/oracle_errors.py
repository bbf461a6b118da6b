"""What Oracle refuses, by its code."""

from __future__ import annotations

from glue.dialects.errors import DialectError


class OracleError(DialectError):
    """Oracle refuses this: `code` is Oracle's own (ORA-01843), the words are ours."""
