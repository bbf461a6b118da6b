"""Oracle's types, as CAST has them."""

from __future__ import annotations

from glue.dialects import nodes
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_reading import OracleWords
from glue.dialects.reading import Token

_TYPES_WORDS = """
    BINARY_DOUBLE BINARY_FLOAT BINARY_INTEGER BLOB CHAR CHARACTER CLOB DATE DEC DECIMAL DOUBLE FLOAT
    INT INTEGER INTERVAL JSON LONG NATIONAL NCHAR NCLOB NUMBER NUMERIC NVARCHAR2 RAW REAL ROWID
    SMALLINT TIMESTAMP VARCHAR VARCHAR2 XMLTYPE
"""
_TYPES = frozenset(_TYPES_WORDS.split())


class Types(OracleWords):
    """Types: Oracle's own, and those that somebody has made, with the name of their schema."""

    def type_name(self) -> nodes.Type:
        """Read a type: NUMBER(7,-2), VARCHAR2(10 CHAR), TIMESTAMP(3) WITH TIME ZONE, SYS.ODCINUMBERLIST."""
        start = self.token.start
        if self.token.upper not in _TYPES:
            if self.token.kind in ("word", "quoted") and not self.comes(".", ahead=1):
                raise OracleError("ORA-00902", f"{self.token.text!r} is no type")
            return self.made_type()
        words: list[str] = []
        arguments: list[str] = []
        while self.token.kind == "word":
            words.append(self.token.upper)
            self.place += 1
            if self.comes("("):
                arguments += self._type_arguments()
            if self.comes("DEFAULT"):
                break
        return nodes.Type(tuple(words), tuple(arguments), place=start)

    def _type_arguments(self) -> list[str]:
        """What stands in brackets between commas: 7 and -2, 10 CHAR."""
        start = self.place
        self.skip_brackets()
        arguments: list[list[Token]] = [[]]
        for token in self.since(start)[1:-1]:
            if token.upper == ",":
                arguments.append([])
            else:
                arguments[-1].append(token)
        return [" ".join(token.upper for token in tokens).replace("- ", "-") for tokens in arguments]

    def made_type(self) -> nodes.Type:
        """Read the name of a type that is not Oracle's own: one word, with that of its schema."""
        start = self.token.start
        if self.token.kind not in ("word", "quoted"):
            raise self.refused("ORA-00902", "a type is missing")
        names = [self.identifier()]
        while self.take("."):
            names.append(self.name("ORA-00902"))
        name = ".".join(name.text if name.is_quoted else name.text.upper() for name in names)
        return nodes.Type((name,), place=start)
