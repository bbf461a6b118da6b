"""What a drafted task's SQL is made of, as far as the rules of its construction ask (BIRD-History, C.1).

Joins, functions, windows, CASEs, connectives, aggregates, conditions, lengths: read off the tree of a draft
and of the past queries it reuses, so that SQL can compare the two. Expressions are told apart by their
skeletons (`skeletons`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from glue.sql.components import UnreadableError, logical_parts, parsed_query, read_statement
from glue.sql.functions import is_aggregate
from glue.sql.parsing import readable_error
from glue.sql.references import Expression, Named, References
from glue.sql.scopes import Block, Query, Source, Statement, is_star
from glue.sql.shown_columns import TooManyColumnsError
from glue.sql.skeletons import SkeletonPrinter, TooLongError, bare, is_value

MAX_PAIRS = 400
"""Most pairs of conditions that are told of one text: a list of OR has no knowledge beyond its first ones."""
MAX_PARTS = 60
"""Most parts of one condition that are paired."""

LISTS = (
    *("tables", "joins", "functions", "windows", "cases", "connected", "aggregates", "conditions"),
    *("unlimited_orders", "unused_joins", "unused_ctes"),
)
NUMBERS = ("n_lines", "n_joined_tables", "longest_join_chain")

_MODES = {"LEFT": "outer", "RIGHT": "outer", "FULL": "full"}
_NO_FUNCTIONS = (exp.And, exp.Or, exp.Xor, exp.Exists, exp.TsOrDsToTimestamp, exp.TsOrDsToDate)
"""What sqlglot has as functions and no one writes as such; the conversions are put in by it."""


def task_shape(sql: str, dialect: str, outline: str) -> dict[str, Any]:
    """The shape of a text. Never raises.

    `outline` is the catalog of its database as JSON. Keys of the result: parse_outcome, reason and detail as
    of `sql_components`; n_lines (as sqlglot lays it out), n_joined_tables (most stored tables of one FROM),
    longest_join_chain (most JOINs of one FROM); lists of distinct values: tables, functions, windows
    (functions with OVER) by sqlglot's names; joins (pair of tables, mode: inner, outer, full, cross), cases
    (condition, result), connected (two conditions, and what connects them), aggregates (name, argument,
    is_distinct), conditions (skeleton, its values); unlimited_orders (outermost, inner), unused_joins,
    unused_ctes.
    """
    try:
        reader = _Reader(*read_statement(parsed_query(sql, dialect), outline))
        return {"parse_outcome": "parsed", "reason": None, "detail": None, **reader.shape()}
    except UnreadableError as error:
        return unread(error.outcome, error.reason, error.detail)
    except (TooManyColumnsError, TooLongError) as error:
        return unread("parsed", "too_large", str(error))
    except RecursionError:
        return unread("too_deep", "too_deep", "nested deeper than can be followed")
    except Exception as error:
        return unread("failed", "reader_failed", f"{type(error).__name__}: {readable_error(error)}")


def unread(outcome: str, reason: str, detail: str | None) -> dict[str, Any]:
    """The result for a text of which nothing could be read."""
    told = {"parse_outcome": outcome, "reason": reason, "detail": detail}
    return {**told, **dict.fromkeys(NUMBERS), **{name: [] for name in LISTS}}


@dataclass
class _Reader:
    statement: Statement
    references: References
    joins: set[tuple[str, str]] = field(default_factory=set)
    connected: set[tuple[str, str, str]] = field(default_factory=set)
    conditions: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.printer = SkeletonPrinter(self.references)
        self.dialect = self.statement.dialect
        self.sources = self._sources()

    def shape(self) -> dict[str, Any]:
        for block in self.statement.blocks:
            self._joins(block)
            for condition in _conditions(block):
                self._connect(condition, block)
                self._values(condition, block)
        blocks = self.statement.blocks
        return {
            "n_lines": self.statement.tree.sql(dialect=self.dialect, pretty=True, comments=False).count("\n")
            + 1,
            "n_joined_tables": max((len(_stored(block)) for block in blocks), default=0),
            "longest_join_chain": max(
                (len(block.select.args.get("joins") or ()) for block in blocks), default=0
            ),
            "tables": sorted({self.references.table(each) for each in self.statement.tables}),
            "joins": [{"pair": pair, "mode": mode} for pair, mode in sorted(self.joins)],
            "functions": sorted(self._functions()),
            "windows": sorted(self._windows()),
            "cases": [{"condition": when, "result": then} for when, then in sorted(self._cases())],
            "connected": [
                {"connective": word, "first": first, "second": second}
                for first, second, word in sorted(self.connected)
            ],
            "aggregates": [
                {"name": name, "argument": argument, "is_distinct": is_distinct}
                for name, argument, is_distinct in sorted(self._aggregates())
            ],
            "conditions": [
                {"skeleton": text, "condition_values": held} for text, held in sorted(self.conditions)
            ],
            "unlimited_orders": list(self._unlimited_orders()),
            "unused_joins": sorted(self._unused_joins()),
            "unused_ctes": sorted(self._unused_ctes()),
        }

    def _text(self, node: exp.Expr, block: Block | None) -> str:
        return self.printer.write(lambda: self.printer.text(node, block))

    # FROM

    def _joins(self, block: Block) -> None:
        for join in block.select.args.get("joins") or ():
            mode = _mode(join)
            on = join.args.get("on")
            if on is not None:
                for part in logical_parts(on):
                    self._add_join(self._tables_of(part, block), mode)
            elif join.args.get("using") or join.args.get("method"):
                others = [one.table for one in _stored(block) if one.node is not join.this and one.table]
                joined = [one.table for one in _stored(block) if one.node is join.this and one.table]
                if len(others) == 1 and joined:
                    self._add_join([others[0].lower(), joined[0].lower()], mode)
        for part in self.printer.join_predicates(block):
            self._add_join(self._tables_of(part, block), "inner")

    def _add_join(self, tables: list[str], mode: str) -> None:
        if len(tables) == 2:
            self.joins.add((" ~ ".join(sorted(tables)), mode))

    def _tables_of(self, condition: exp.Expr, block: Block) -> list[str]:
        """The stored tables whose columns a condition compares; one twice where it meets itself."""
        found: dict[Any, str] = {}
        for column in condition.find_all(exp.Column):
            referent = self.references.referent(column, block)
            if isinstance(referent, Named) and referent.table is not None:
                found[referent.use or referent.table] = referent.table
        return list(found.values())

    # Expressions

    def _functions(self) -> set[str]:
        found = set()
        for node in self.statement.tree.find_all(exp.Func, exp.DPipe, exp.Window):
            if isinstance(node, exp.DPipe):
                found.add("concat")
            elif isinstance(node, exp.Window):
                found.add("over")
            elif not isinstance(node, _NO_FUNCTIONS) and not _is_branch(node):
                found.add(_name(node))
        return found

    def _windows(self) -> set[str]:
        return {
            _name(node.this)
            for node in self.statement.tree.find_all(exp.Window)
            if isinstance(node.this, exp.Func)
        }

    def _cases(self) -> set[tuple[str, str]]:
        found = set()
        for block in self.statement.blocks:
            for branch in _own(block.select, exp.If):
                condition = self._text(branch.this, block)
                case = branch.parent
                if isinstance(case, exp.Case) and case.args.get("this") is not None:
                    condition = f"{self._text(case.args['this'], block)} = {condition}"
                then = bare(branch.args["true"])
                found.add(
                    (condition, then.sql(dialect=self.dialect) if is_value(then) else self._text(then, block))
                )
        return found

    def _aggregates(self) -> set[tuple[str, str, bool]]:
        found = set()
        for block in self.statement.blocks:
            for node in _own(block.select, exp.Func):
                if not is_aggregate(node) or not isinstance(node.this, exp.Expr):
                    continue
                is_distinct = isinstance(node.this, exp.Distinct)
                counted = node.this.expressions if is_distinct else [node.this]
                argument = ", ".join(self._text(each, block) for each in counted)
                found.add((_name(node), argument, is_distinct))
        return found

    def _connect(self, condition: exp.Expr, block: Block) -> None:
        """Each two parts of a condition, and what stands between them where they meet."""
        for node in _own(condition, (exp.And, exp.Or)):
            if len(self.connected) < MAX_PAIRS and _is_outermost(node):
                parts = itertools.islice(_flat(node), MAX_PARTS)
                leaves = [
                    [self._text(leaf, block) for leaf in itertools.islice(logical_parts(part), MAX_PARTS)]
                    for part in parts
                ]
                word = "and" if isinstance(node, exp.And) else "or"
                for one, other in itertools.combinations(leaves, 2):
                    for pair in itertools.product(one, other):
                        if len(self.connected) >= MAX_PAIRS:
                            return
                        if pair[0] != pair[1]:
                            self.connected.add((min(pair), max(pair), word))

    def _values(self, condition: exp.Expr, block: Block) -> None:
        for part in logical_parts(condition):
            values = [
                node.sql(dialect=self.dialect) for node in part.find_all(exp.Literal, exp.Boolean, exp.Null)
            ]
            if values:
                self.conditions.add((self._text(part, block), ", ".join(values)))

    # What is of no use

    def _unlimited_orders(self) -> Iterator[str]:
        for query in self.statement.queries:
            if query.modifier("order") is not None and query.modifier("limit") is None:
                yield "outermost" if query is self.statement.root else "inner"

    def _sources(self) -> dict[int, Source]:
        return {id(source): source for block in self.statement.blocks for source in block.sources.values()}

    def _unused_joins(self) -> Iterator[str]:
        """Joined tables of which nothing is read but what they are joined by."""
        read = self._columns_read()
        if read is None:
            return
        for block in self.statement.blocks:
            if any(is_star(item) for item in block.select.expressions) or block.using or block.is_natural:
                continue
            for join in block.select.args.get("joins") or ():
                source = next((one for one in block.sources.values() if one.node is join.this), None)
                if source is None or join.args.get("on") is None:
                    continue
                own = {id(column) for column in join.args["on"].find_all(exp.Column)}
                if not read.get(id(source), set()) - own:
                    yield source.alias

    def _columns_read(self) -> dict[int, set[int]] | None:
        """Source -> the columns of it that are named somewhere (by id); None where one cannot be told."""
        found: dict[int, set[int]] = {}
        for block in self.statement.blocks:
            for columns in block.sections.values():
                for column in columns:
                    source = self.references.source_of(column, block)
                    if source is None:
                        referent = self.references.referent(column, block)
                        if not isinstance(referent, Expression) and len(block.sources) > 1:
                            return None
                        continue
                    found.setdefault(id(source), set()).add(id(column))
        return found

    def _unused_ctes(self) -> Iterator[str]:
        read = {id(source.query) for source in self.sources.values() if source.query is not None}
        read |= {id(query) for query in self.statement.read_after_in.values() if query is not None}
        for query in self.statement.queries:
            if query.context == "cte" and id(query) not in read:
                yield _cte_name(query)


def _conditions(block: Block) -> Iterator[exp.Expr]:
    args = block.select.args
    for key in ("where", "having", "qualify"):
        if args.get(key) is not None:
            yield args[key].this
    for join in args.get("joins") or ():
        if join.args.get("on") is not None:
            yield join.args["on"]
    for branch in _own(block.select, exp.If):
        yield branch.this


def _own(root: exp.Expr, kind: type[exp.Expr] | tuple[type[exp.Expr], ...]) -> Iterator[Any]:
    """The nodes of a kind in a SELECT or a part of one that are in no query within it."""
    waiting: list[exp.Expr] = list(root.iter_expressions()) if isinstance(root, exp.Query) else [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (exp.Query, exp.With)):
            continue
        if isinstance(node, kind):
            yield node
        waiting += node.iter_expressions()


def _flat(node: exp.Expr) -> Iterator[exp.Expr]:
    """The operands of a chain of one connective, brackets left out."""
    kind = type(node)
    waiting = [node]
    while waiting:
        each = bare(waiting.pop())
        if type(each) is kind:
            waiting += [each.args["expression"], each.this]
        else:
            yield each


def _is_outermost(node: exp.Expr) -> bool:
    """No chain of the same connective is around it."""
    around = node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    return type(around) is not type(node)


def _is_branch(node: exp.Expr) -> bool:
    return isinstance(node, exp.If) and isinstance(node.parent, exp.Case)


def _mode(join: exp.Expr) -> str:
    side, kind = (str(join.args.get(key) or "").upper() for key in ("side", "kind"))
    if side:
        return _MODES.get(side, side.lower())
    if kind in ("SEMI", "ANTI"):
        return kind.lower()
    return "inner" if join.args.get("on") is not None or join.args.get("using") else "cross"


def _name(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    return type(node).sql_names()[0].lower() if isinstance(node, exp.Func) else node.key


def _stored(block: Block) -> list[Source]:
    return [source for source in block.sources.values() if source.table is not None]


def _cte_name(query: Query) -> str:
    around = query.wrappers[0].parent if query.wrappers else query.node.parent
    return around.alias if isinstance(around, exp.CTE) else "?"
