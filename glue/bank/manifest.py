"""What the bank's manifest says: CSV files in enterprise/, one folder to a database.

`databases.csv` names the databases and `value_domains.csv` holds the domains that several of them share. A
folder `<db_id>/` has `tables`, `columns`, `foreign_keys` and `value_domains`, `facts` about its data, `hints`
on its schema, and the questions: `questions`, what their answers must hold to (`constraints`), their
statements by role and dialect, the steps to their supplementary `instances` D′, the Oracle `constructs` they
need and the `result_columns` of their golds. More databases and questions are more rows. Schema and questions
follow ESQ-Bench, sections 4.3 to 4.5 and 5.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ENGINES = {
    "sqlite": "enterprise",
    "duckdb": "enterprise_duckdb",
    "oracle-local": "enterprise_oracle_local",
    "mssql-local": "enterprise_mssql_local",
    "postgresql": "enterprise_postgresql",
    "mariadb": "enterprise_mariadb",
    "mysql": "enterprise_mysql",
    "oracle": "enterprise_oracle",
    "sqlserver": "enterprise_sqlserver",
}
"""Engine that the bank is loaded into -> benchmark that is landed."""
FILE_SUFFIXES = {"sqlite": "sqlite", "duckdb": "duckdb", "oracle-local": "duckdb", "mssql-local": "duckdb"}
"""Engine whose databases are files -> how their names end."""
DIALECT_OF = {
    "sqlite": "sqlite",
    "duckdb": "duckdb",
    "oracle-local": "oracle",
    "mssql-local": "tsql",
    "postgresql": "postgres",
    "mariadb": "mysql",
    "mysql": "mysql",
    "oracle": "oracle",
    "sqlserver": "tsql",
}
"""Engine -> dialect of the statements that are asked there."""
DIALECTS = ("oracle", "duckdb", "sqlite", "postgres", "mysql", "tsql")
ROLES = ("gold", "distractor", "second_gold")
EDITIONS = ("final", "first_pass")
CONSTRAINT_KINDS = ("grain", "output", "null", "boundary", "ordering", "duplicates", "scope", "rounding")
ACTIONS = ("insert", "update")
VALUE_TYPES = ("integer", "number", "text", "date")
EXCEPTION_KINDS = ("inexpressible", "rounding", "collation", "type")

Value = str | int | float | None
"""A value as JSON gives it; dates are ISO texts."""


@dataclass(frozen=True)
class BankDatabase:
    """One database of the bank: its place in ESQ-Bench's tiers, and how much of it is documented."""

    db_id: str
    schema_id: str  # ESQ-Bench's name, T2-A
    tier: int  # 1 academic baseline, 2 enterprise moderate, 3 enterprise complex
    question_prefix: str  # how the ids of its questions begin
    title: str
    documented_share: float  # of columns whose description models are shown, 0 to 1


@dataclass(frozen=True)
class BankColumn:
    """One column of a table of the bank, as the manifest has it."""

    name: str
    position: int  # 1-based place in the table
    generation_position: int  # 1-based place in the order in which the generators see each other
    data_type: str  # INTEGER, DECIMAL(p,s), VARCHAR(n), DATE
    is_nullable: bool
    is_primary_key: bool
    value_domain: str | None  # the domain whose values and meanings document the column
    description: str | None  # None: not shown, see glue/bank/documentation.py
    generator: str


@dataclass(frozen=True)
class BankKey:
    """One foreign key of a table of the bank: columns and the columns they refer to, in the key's order."""

    name: str
    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]
    is_enforced: bool = True  # by a constraint; else merely inferred, from names and values


@dataclass(frozen=True)
class BankTable:
    """One table of the bank."""

    name: str
    position: int  # 1-based; a table stands after those it refers to
    generation_position: int
    n_rows: int
    description: str
    columns: tuple[BankColumn, ...]  # by position
    foreign_keys: tuple[BankKey, ...]

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The names of the key's columns, in the table's order; empty where there is no key."""
        return tuple(column.name for column in self.columns if column.is_primary_key)


@dataclass(frozen=True)
class DomainValue:
    """One value of a value domain; `weight` is how often it comes, in parts of the domain's sum."""

    value: str
    weight: int
    meaning: str | None


@dataclass(frozen=True)
class Fact:
    """One statement about a database's data that holds: a DuckDB query for one number, and its bounds."""

    text: str
    query: str
    at_least: float | None
    at_most: float | None


@dataclass(frozen=True)
class Constraint:
    """One thing the answer must hold to, in plain words."""

    number: int  # 1-based
    kind: str  # one of CONSTRAINT_KINDS
    is_activated: bool  # by D′: an answer that breaks it gives another result there
    text: str


@dataclass(frozen=True)
class ResultColumn:
    """One column of a gold's result: integer, number of so many decimals, text or date."""

    position: int  # 1-based
    name: str
    value_type: str  # one of VALUE_TYPES
    n_decimals: int | None


@dataclass(frozen=True)
class DialectException:
    """A dialect in which a question's gold cannot give what Oracle's gives, with the kind and the reason."""

    dialect: str
    kind: str  # one of EXCEPTION_KINDS
    reason: str


@dataclass(frozen=True)
class Statement:
    """One authored statement of a question: its role, edition and dialect, and the text."""

    role: str
    edition: str
    dialect: str
    sql: str


@dataclass(frozen=True)
class InstanceStep:
    """One insert or update that leads from the base data to an instance; the same on every engine."""

    instance: str
    step: int  # 1-based
    db_id: str
    action: str
    table_name: str
    row_condition: str | None  # of an update: which rows; a date is compared as 'YYYY-MM-DD'
    assignments: dict[str, Value]  # by column


@dataclass(frozen=True)
class BankQuestion:
    """One question of the bank with its constraints by number and its statements."""

    question_id: str
    db_id: str
    category_group: str
    category: str
    difficulty: str
    question: str
    evidence: str | None
    is_ordered: bool
    is_sd_probe: bool
    constraints: tuple[Constraint, ...]
    statements: tuple[Statement, ...]
    constructs: tuple[str, ...] = ()  # Oracle's, that the question calls for
    result_columns: tuple[ResultColumn, ...] = ()
    dialect_exceptions: tuple[DialectException, ...] = ()

    @property
    def intent(self) -> str:
        """The constraints' texts in one line (ESQ-Bench, section 4.5, step 3)."""
        return " ".join(constraint.text for constraint in self.constraints)

    def sql(self, role: str, dialect: str, edition: str = "final") -> str | None:
        """The statement of a role in a dialect, as that edition has it; None where there is none.

        Only what a first pass had revised is kept twice: elsewhere its edition is the final text.
        """
        texts = {s.edition: s.sql for s in self.statements if (s.role, s.dialect) == (role, dialect)}
        return texts.get(edition, texts.get("final"))


@dataclass(frozen=True)
class Manifest:
    """The bank's manifest: tables by database and position, questions in order, domains and instances.

    An instance is named after the question it is made for; its steps stand in order.
    """

    folder: Path
    about: dict[str, BankDatabase]
    databases: dict[str, tuple[BankTable, ...]]
    questions: tuple[BankQuestion, ...]
    domains: dict[str, tuple[DomainValue, ...]]
    instances: dict[str, tuple[InstanceStep, ...]]
    facts: dict[str, tuple[Fact, ...]]
    hints: dict[str, tuple[str, ...]]

    @property
    def has_second_golds(self) -> bool:
        """Whether a second author has written golds, so that there was a first pass to compare."""
        return any(s.role == "second_gold" for question in self.questions for s in question.statements)

    def table(self, db_id: str, name: str) -> BankTable:
        """A table of a database. KeyError where there is none."""
        return next(table for table in self.databases[db_id] if table.name == name)
