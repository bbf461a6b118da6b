"""What Oracle refuses, by its code; and what Oracle can do that is not done here."""

from __future__ import annotations


class OracleError(Exception):
    """Oracle refuses this: `code` is Oracle's own (ORA-01843), the words are ours."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class UnsupportedError(Exception):
    """Oracle has an answer, or its manual does not say; none is given here rather than a wrong one."""
