"""What the texts of the bank's questions alone can tell: wording, constraints, dialects, skeletons."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from glue.bank.manifest import DIALECTS, BankQuestion, InstanceStep, Manifest
from glue.sql.parsing import parse_text

if TYPE_CHECKING:
    from tests.bank.checks import Finding

CATEGORIES = {
    "simple_select_ordering": ("simple_select", "ordering"),
    "aggregation_conditional": ("aggregation", "conditional"),
    "multi_join_set_operations": ("multi_join", "set_operations"),
    "nested": ("nested",),
    "temporal": ("temporal",),
    "analytic": ("analytic_functions",),
    "hierarchical": ("hierarchical",),
    "enterprise_traps": (
        "status_ambiguity",
        "null_trap",
        "entity_overlap",
        "ambiguity_resolution",
        "legacy_naming",
    ),
}
"""Categories of each category group (ESQ-Bench, table 4)."""
DIFFICULTIES = ("easy", "medium", "hard")
MAX_SAME_SHAPE = 6
"""Golds of the bank that may share a skeleton once tables and columns are masked too."""

_SQL_WORDS = re.compile(
    r"\b(SELECT|FROM|WHERE|JOIN|GROUP BY|HAVING|ORDER BY|NVL|COALESCE|COUNT\(|SUM\(|DISTINCT|UNION|MINUS|"
    r"EXCEPT|NOT IN|NOT EXISTS|LIMIT|FETCH FIRST|CASE WHEN|DECODE)"
)
_COMPARISONS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def parsed(sql: str, dialect: str) -> exp.Query | None:
    """The tree of a single query, or None; guarded, so that it always ends."""
    statements = parse_text(sql, dialect).statements
    return statements[0] if len(statements) == 1 and isinstance(statements[0], exp.Query) else None


def text_findings(
    manifest: Manifest, question: BankQuestion, dialects: Sequence[str] = DIALECTS
) -> Iterator[Finding]:
    """Wording, constraints, completeness and dialects of one question."""
    from tests.bank.checks import Finding

    for subject, problems in (
        ("question", wording_problems(question)),
        ("constraints", constraint_problems(manifest, question)),
        ("statements", statement_problems(question, dialects)),
        ("D′", instance_problems(manifest, question)),
    ):
        found = list(problems)
        yield from (Finding("fail", subject, problem) for problem in found)
        if not found:
            yield Finding("ok", subject, "complete")
    for role in ("gold", "distractor"):
        sql = question.sql(role, "oracle")
        if sql is not None:
            problems = list(oracle_problems(manifest, question.db_id, sql))
            yield from (Finding("fail", f"oracle {role}", problem) for problem in problems)


def wording_problems(question: BankQuestion) -> Iterator[str]:
    """A business person's words, on one line, and the taxonomy's."""
    if question.category_group not in CATEGORIES:
        yield f"category_group {question.category_group!r} is not one of {', '.join(CATEGORIES)}"
    elif question.category not in CATEGORIES[question.category_group]:
        yield f"category {question.category!r} is not of {question.category_group}"
    if question.difficulty not in DIFFICULTIES:
        yield f"difficulty {question.difficulty!r}"
    for name, text in (("question", question.question), ("evidence", question.evidence or "")):
        if "_" in text or _SQL_WORDS.search(text) or re.search(r"\bNULL\b", text):
            yield f"{name} has a name or word of the database: {text}"
    texts = [question.question, question.evidence or "", *(c.text for c in question.constraints)]
    for text in (*texts, *(statement.sql for statement in question.statements)):
        if " ".join(text.split()) != text or '"' in text or "\\" in text:
            yield f"double quotes, backslashes, line breaks or double spaces: {text[:60]}"


def constraint_problems(manifest: Manifest, question: BankQuestion) -> Iterator[str]:
    """The kinds that every question needs, and those that its gold calls for."""
    kinds = Counter(constraint.kind for constraint in question.constraints)
    numbers = [constraint.number for constraint in question.constraints]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"constraint_number is {numbers}, not 1, 2, …"
    for kind in ("grain", "output"):
        if kinds[kind] != 1:
            yield f"{kinds[kind]} constraints of kind {kind}, not one"
    if not kinds["ordering"]:
        yield "no constraint of kind ordering (say also that order does not matter)"
    for constraint in question.constraints:
        if _SQL_WORDS.search(constraint.text) or "_" in constraint.text:
            yield f"constraint {constraint.number} speaks SQL: {constraint.text}"
        if constraint.kind == "grain" and not re.match(r"(Exactly )?[Oo]ne row", constraint.text):
            yield f"the grain does not begin with One row: {constraint.text}"
        if not constraint.text.endswith((".", ")")):
            yield f"constraint {constraint.number} does not end with a full stop: {constraint.text}"
    gold = question.sql("gold", "oracle")
    tree = None if gold is None else parsed(gold, "oracle")
    if tree is None:
        return
    if not kinds["boundary"] and any(tree.find(kind) for kind in _COMPARISONS):
        yield "no constraint of kind boundary, but gold compares with an edge"
    nullable = nullable_columns(manifest, question.db_id, tree)
    if nullable and not kinds["null"]:
        yield f"no constraint of kind null, but gold uses {', '.join(sorted(nullable))}"


def nullable_columns(manifest: Manifest, db_id: str, tree: exp.Query) -> set[str]:
    """Names of columns in a query that may be NULL in one of the tables it reads."""
    tables = {table.name.lower() for table in tree.find_all(exp.Table)}
    nullable: dict[str, set[str]] = defaultdict(set)
    sure: dict[str, set[str]] = defaultdict(set)
    for table in manifest.databases[db_id]:
        if table.name in tables:
            for column in table.columns:
                (nullable if column.is_nullable else sure)[column.name].add(table.name)
    aliases = {table.alias_or_name.lower(): table.name.lower() for table in tree.find_all(exp.Table)}
    found = set()
    for column in tree.find_all(exp.Column):
        owner, name = aliases.get(column.table.lower()), column.name.lower()
        if owner in nullable[name] or (not column.table and nullable[name] and not sure[name]):
            found.add(name)
    return found


def statement_problems(question: BankQuestion, dialects: Sequence[str]) -> Iterator[str]:
    """Gold and distractor in every dialect; ordered where the question is."""
    for role in ("gold", "distractor"):
        for dialect in dialects:
            sql = question.sql(role, dialect)
            if sql is None:
                yield f"no {role} for {dialect}"
                continue
            if sql.rstrip().endswith(";"):
                yield f"{role} {dialect}: ends with a semicolon"
            tree = parsed(sql, dialect)
            if tree is None:
                yield f"{role} {dialect}: does not parse: {parse_text(sql, dialect).error}"
            elif role == "gold":
                has_order = tree.args.get("order") is not None
                if question.is_ordered and not has_order:
                    yield f"gold {dialect}: is_ordered, but no ORDER BY"
                if has_order and not question.is_ordered and tree.args.get("limit") is None:
                    yield f"gold {dialect}: ORDER BY, but not is_ordered"


def instance_problems(manifest: Manifest, question: BankQuestion) -> Iterator[str]:
    """One to eight steps, numbered from 1, whose values fit their columns; new rows from 900000 on."""
    steps = manifest.instances.get(question.question_id, ())
    if not 1 <= len(steps) <= 8:
        yield f"{len(steps)} steps, not 1 to 8"
    if [step.step for step in steps] != list(range(1, len(steps) + 1)):
        yield f"steps are numbered {[step.step for step in steps]}"
    for step in steps:
        for problem in _value_problems(manifest, step):
            yield f"step {step.step}: {problem}"


def _value_problems(manifest: Manifest, step: InstanceStep) -> Iterator[str]:
    table = manifest.table(step.db_id, step.table_name)
    for column in table.columns:
        value = step.assignments.get(column.name)
        if column.name not in step.assignments or value is None:
            continue
        kind, size = re.fullmatch(r"(\w+)(?:\((.*)\))?", column.data_type).groups()  # type: ignore[union-attr]
        if kind == "DATE" and not (isinstance(value, str) and _ISO_DATE.fullmatch(value)):
            yield f"{column.name} is a date: write 'YYYY-MM-DD', not {value!r}"
        elif kind == "VARCHAR" and not (isinstance(value, str) and 1 <= len(value) <= int(size)):
            yield f"{column.name} holds 1 to {size} characters, not {value!r}"
        elif kind == "INTEGER" and not isinstance(value, int):
            yield f"{column.name} is a whole number, not {value!r}"
        elif kind == "DECIMAL" and (isinstance(value, str) or round(value, int(size.split(",")[1])) != value):
            yield f"{column.name} is {column.data_type}, not {value!r}"
        if step.action == "insert" and (column.name,) == table.primary_key and int(value) < 900_000:
            yield f"{column.name} of a new row is {value}, below 900000"


# --------------------------------------------------------------------------- Oracle's dialect

_NOT_ORACLE_WORDS = re.compile(
    r"\b(LIMIT|EXCEPT|TRUE|FALSE|ILIKE|QUALIFY|IFNULL|STRFTIME|JULIANDAY|DATE_DIFF|DATEDIFF|DATE_TRUNC|DATE_PART|"
    r"STRING_AGG|GROUP_CONCAT|COUNT_IF|ARG_MAX|ARG_MIN|IIF)\b|::|\b(IF|DATE|YEAR|MONTH|DAY|QUARTER|FILTER)\s*\(",
    re.IGNORECASE,
)
_TEXTS = re.compile(r"'(?:[^']|'')*'")
_RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
        access add all alter and any as asc audit between by char check cluster column comment
        compress connect create current date decimal default delete desc distinct drop else
        exclusive exists file float for from grant group having identified immediate in increment
        index initial insert integer intersect into is level like lock long maxextents minus mode
        modify not nowait null number of offline on online option or order pctfree prior public raw
        rename resource revoke row rowid rownum rows select session set share size smallint start
        successful synonym sysdate table then to trigger uid union unique update user validate
        values varchar varchar2 view whenever where with
        """,
    )
)


_PSEUDO_COLUMNS = frozenset({"level", "rownum", "rowid", "sysdate", "user"})


def oracle_problems(manifest: Manifest, db_id: str, sql: str) -> Iterator[str]:
    """What Oracle would refuse, or read otherwise, in a text that sqlglot takes for Oracle's."""
    plain = _TEXTS.sub("''", sql)
    for match in _NOT_ORACLE_WORDS.finditer(plain):
        yield f"{match[0]!r} is not Oracle's"
    tree = parsed(sql, "oracle")
    if tree is None:
        return
    columns = {column.name for table in manifest.databases[db_id] for column in table.columns}
    for alias in tree.find_all(exp.TableAlias):
        start = alias.this.meta.get("start") if alias.this is not None else None
        is_with = isinstance(alias.parent, exp.CTE)
        if start is not None and not is_with and re.search(r"\bAS\s+$", sql[:start], re.IGNORECASE):
            yield f"AS before the table alias {alias.name}"
    for identifier in tree.find_all(exp.Identifier):
        is_pseudo_column = (
            isinstance(identifier.parent, exp.Column) and identifier.name.lower() in _PSEUDO_COLUMNS
        )
        if (
            identifier.name.lower() in _RESERVED
            and not is_pseudo_column
            and not identifier.args.get("quoted")
        ):
            yield f"{identifier.name} is a reserved word of Oracle"
    for select in tree.find_all(exp.Select):
        if select.args.get("from_") is None:
            yield "SELECT without FROM (Oracle wants FROM DUAL)"
        yield from _grouping_problems(select, columns)
    for literal in tree.find_all(exp.Literal):
        yield from _literal_problems(literal)
    for node in tree.find_all(exp.Predicate):
        if isinstance(node.parent, exp.Select | exp.Alias | exp.AggFunc | exp.Coalesce) and not isinstance(
            node, exp.SubqueryPredicate
        ):
            yield f"a condition used as a value: {node.sql('oracle')}"


def _grouping_problems(select: exp.Select, columns: set[str]) -> Iterator[str]:
    group = select.args.get("group")
    names = {item.alias.lower() for item in select.expressions if isinstance(item, exp.Alias)} - columns
    places = [] if group is None else list(group.expressions)
    for place in places:
        if isinstance(place, exp.Literal):
            yield f"GROUP BY {place.sql()}: Oracle knows no ordinals there"
    having = select.args.get("having")
    for part in [*places, *([] if having is None else [having])]:
        for column in part.find_all(exp.Column):
            if not column.table and column.name.lower() in names:
                yield f"{column.name} of the SELECT list used in GROUP BY or HAVING"


def _literal_problems(literal: exp.Literal) -> Iterator[str]:
    if not literal.is_string:
        return
    if literal.this == "":
        yield "'' is NULL in Oracle"
    if _ISO_DATE.fullmatch(literal.this):
        is_typed = isinstance(literal.parent, exp.Cast | exp.Func) and not isinstance(
            literal.parent, exp.Coalesce | exp.Predicate | exp.If | exp.Case
        )
        if not is_typed:
            yield f"'{literal.this}' is a text: write DATE '{literal.this}'"


_TRUNC_UNITS = {
    "MM": "month",
    "MON": "month",
    "MONTH": "month",
    "Q": "quarter",
    "YYYY": "year",
    "YEAR": "year",
    "YY": "year",
    "Y": "year",
    "IW": "week",
    "DD": "day",
}
_TO_CHAR = {
    "YYYY": "%Y",
    "MM": "%m",
    "DD": "%d",
    "HH24": "%H",
    "MI": "%M",
    "SS": "%S",
    "IW": "%V",
    "DY": "%a",
}


def as_duckdb(sql: str) -> tuple[str | None, str | None]:
    """An Oracle text in DuckDB's words, and what sqlglot cannot carry over; None where it cannot be read.

    Excused, because DuckDB has nothing like it or reads it otherwise: ROWNUM, WITH TIES, PERCENT, TO_CHAR
    with a numeric or unknown format, and || (NULL is the empty text in Oracle).
    """
    tree = parsed(sql, "oracle")
    if tree is None:
        return None, "it does not parse"
    plain = _TEXTS.sub("''", sql).upper()
    excuses = [word for word in ("ROWNUM", "WITH TIES", "PERCENT", "||") if word in plain]
    holder = exp.Paren(this=tree)
    for node in list(holder.find_all(exp.ToChar, exp.DateTrunc, exp.TimestampTrunc, exp.AddMonths)):
        excuse = _carried_over(node)
        excuses += [excuse] if excuse else []
    try:
        return holder.this.sql("duckdb"), ", ".join(excuses) or None
    except Exception as error:
        return None, str(error)


def _carried_over(node: exp.Expr) -> str | None:
    """Replace what sqlglot would leave as it is; or say what cannot be."""
    if isinstance(node, exp.ToChar):
        format_ = node.args.get("format")
        if format_ is None:
            return None
        pattern = _strftime(format_.name) if isinstance(format_, exp.Literal) else None
        if pattern is None:
            return f"TO_CHAR with {format_.sql()}"
        if format_.name.upper() == "Q":
            node.replace(exp.cast(exp.func("quarter", node.this.copy()), "text"))
        else:
            node.replace(exp.func("strftime", node.this.copy(), exp.Literal.string(pattern)))
        return None
    if isinstance(node, exp.AddMonths):
        node.replace(exp.cast(node.copy(), "date"))
        return None
    unit = node.args.get("unit")
    if unit is not None and unit.name.upper() in _TRUNC_UNITS:
        day = exp.Anonymous(
            this="date_trunc",
            expressions=[exp.Literal.string(_TRUNC_UNITS[unit.name.upper()]), node.this.copy()],
        )
        node.replace(exp.cast(day, "date"))
    return None


def _strftime(format_: str) -> str | None:
    if format_.upper() == "Q":
        return "Q"
    parts = re.split("(" + "|".join(_TO_CHAR) + ")", format_.upper())
    known = [_TO_CHAR.get(part, part) for part in parts]
    rest = "".join(part for part in parts if part not in _TO_CHAR)
    return None if re.search(r"[A-Z0-9]", rest) else "".join(known)


# --------------------------------------------------------------------------- skeletons


def skeleton(sql: str, dialect: str, masks_names: bool = False) -> str:
    """The parsed query with literals masked and aliases resolved; `masks_names` masks tables and columns too.

    Columns stand without their table, an alias of the SELECT list is replaced by what it stands for, names of
    derived tables are all the same, and a list of literals is as long as any other.
    """
    tree = parsed(sql, dialect)
    if tree is None:
        return sql
    holder = exp.Paren(this=tree.copy())
    for select in list(holder.find_all(exp.Select)):
        _resolve_outputs(select)
    derived = {cte.alias.lower() for cte in holder.find_all(exp.CTE)}
    for column in holder.find_all(exp.Column):
        column.set("table", None)
    for table in holder.find_all(exp.Table):
        table.set("alias", None)
        if table.name.lower() in derived:
            table.set("this", exp.to_identifier("derived"))
    for alias in holder.find_all(exp.TableAlias):
        alias.set("this", exp.to_identifier("derived"))
    for alias in list(holder.find_all(exp.Alias)):
        alias.replace(alias.this)
    for literal in list(holder.find_all(exp.Literal)):
        literal.replace(exp.Placeholder())
    for found in holder.find_all(exp.In):
        if found.expressions and all(isinstance(item, exp.Placeholder) for item in found.expressions):
            found.set("expressions", [exp.Placeholder()])
    if masks_names:
        for identifier in list(holder.find_all(exp.Identifier)):
            identifier.replace(exp.to_identifier("x"))
    return holder.this.sql(dialect=dialect).lower()


def _resolve_outputs(select: exp.Select) -> None:
    outputs = {item.alias.lower(): item.this for item in select.expressions if isinstance(item, exp.Alias)}
    for part in ("order", "group", "having"):
        clause = select.args.get(part)
        for column in [] if clause is None else list(clause.find_all(exp.Column)):
            meant = outputs.get(column.name.lower())
            if meant is not None and not column.table and meant is not column:
                column.replace(meant.copy())


def shared_skeletons(
    golds: Mapping[str, str], dialect: str, masks_names: bool, n_allowed: int
) -> list[tuple[str, ...]]:
    """Groups of questions, more than `n_allowed` each, whose golds have one skeleton."""
    groups: dict[str, list[str]] = defaultdict(list)
    for question_id, sql in golds.items():
        groups[skeleton(sql, dialect, masks_names)].append(question_id)
    return [tuple(names) for names in groups.values() if len(names) > n_allowed]


def golds_of(questions: Iterable[BankQuestion], dialect: str) -> dict[str, str]:
    """The golds of a dialect by question."""
    found = {question.question_id: question.sql("gold", dialect) for question in questions}
    return {name: sql for name, sql in found.items() if sql is not None}
