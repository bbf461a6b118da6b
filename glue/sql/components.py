"""Components of a query: the pieces of SQL that hold knowledge (BIRD-History, section 4, A.2, Table 7).

Types by clause: calculation (expressions of SELECT and ORDER BY that compute), condition (predicates of WHERE
and HAVING, split at AND and OR), relation (FROM with its joins), dimension (GROUP BY, PARTITION BY), output
(ORDER BY with LIMIT, SELECT DISTINCT) and, once, full_sql. Subqueries, CTEs, branches of set operations and
windows are read in the same way. Each component has two spellings: `published` and the normal form
(`skeletons`) that tells whether two components hold the same knowledge.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from glue.sql.parsing import ParsedText, parse_text, readable_error
from glue.sql.published import Publisher, TooLongToPublishError
from glue.sql.query_size import NO_SIZE, query_size
from glue.sql.references import References
from glue.sql.scope_builder import analyse
from glue.sql.scopes import Block, Query, Statement, children
from glue.sql.shown_columns import TooManyColumnsError, read_catalog
from glue.sql.skeletons import SkeletonPrinter, TooLongError, bare, is_value
from glue.sql.written import WrittenText

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

KNOWLEDGE_TYPES = ("calculation", "condition", "relation", "dimension", "output", "full_sql")
MAX_NODES = 50_000
"""Most nodes of a tree that is read: a query of 100 kB has about 30,000."""
MAX_COMPONENTS = 2_000
"""Most components that are read off one text."""
MAX_TEXT_CHARACTERS = 2_000_000
"""Most characters of skeletons and published spellings of one text: nested queries repeat what is in them."""
MAX_ALL_EXPANSIONS = 10_000
"""Most names that are replaced by what they stand for, in all components of one text."""
REASONS = (
    "does_not_parse",
    "too_large",
    "too_deep",
    "empty",
    "several_statements",
    "not_a_query",
    "reader_failed",
)
"""Why a text has no components."""
_NO_CALCULATIONS = (
    exp.Column,
    exp.Star,
    exp.Null,
    exp.Boolean,
    exp.Query,
    exp.Values,
    exp.Identifier,
    exp.Dot,
)
_PREDICATES = (exp.Predicate, exp.Not, exp.Connector, exp.In, exp.Between, exp.Exists)


class UnreadableError(Exception):
    """A text that has no components: `outcome` (as of `parse_text`), `reason` (one of REASONS), `detail`."""

    def __init__(self, outcome: str, reason: str, detail: str | None) -> None:
        super().__init__(detail)
        self.outcome, self.reason, self.detail = outcome, reason, detail


@dataclass(frozen=True)
class Component:
    """One component, in both spellings and as written."""

    clause: str
    knowledge_type: str
    sql_substring: str
    published_skeleton: str
    skeleton: str


def sql_components(sql: str, dialect: str, outline: str) -> dict[str, Any]:
    """The components of a text. Never raises.

    `outline` is the catalog of its database as JSON (`read_catalog`); without one, names are resolved as far
    as the text alone tells. Keys of the result: parse_outcome (parsed, too_large, too_deep, failed, empty),
    reason (one of REASONS; None where the text was read), detail, components (dicts of component_number,
    clause, knowledge_type, sql_substring, published_skeleton, skeleton; in the order of the text, full_sql
    last), full_skeleton, n_functions, n_subqueries, join_length, nesting_depth.
    """
    try:
        parsed = parsed_query(sql, dialect)
        statement, references = read_statement(parsed, outline)
        found = components_of(statement, references, parsed.tokens)
        return {
            "parse_outcome": "parsed",
            "reason": None,
            "detail": None,
            "components": [
                {
                    "component_number": number,
                    "clause": each.clause,
                    "knowledge_type": each.knowledge_type,
                    "sql_substring": each.sql_substring,
                    "published_skeleton": each.published_skeleton,
                    "skeleton": each.skeleton,
                }
                for number, each in enumerate(found, 1)
            ],
            "full_skeleton": found[-1].skeleton,
            **query_size(statement),
        }
    except UnreadableError as error:
        return unread(error.outcome, error.reason, error.detail)
    except (TooManyColumnsError, TooLongError, TooLongToPublishError) as error:
        return unread("parsed", "too_large", str(error))
    except RecursionError:
        return unread("too_deep", "too_deep", "nested deeper than can be followed")
    except Exception as error:
        return unread("failed", "reader_failed", f"{type(error).__name__}: {readable_error(error)}")


def unread(outcome: str, reason: str, detail: str | None) -> dict[str, Any]:
    """The result for a text of which nothing could be read."""
    return {
        "parse_outcome": outcome,
        "reason": reason,
        "detail": detail,
        "components": [],
        "full_skeleton": None,
        **NO_SIZE,
    }


def parsed_query(sql: str, dialect: str) -> ParsedText:
    """A text of one statement. UnreadableError."""
    parsed = parse_text(sql, dialect)
    if parsed.outcome != "parsed":
        reason = "does_not_parse" if parsed.outcome == "failed" else parsed.outcome
        raise UnreadableError(parsed.outcome, reason, parsed.error)
    if len(parsed.statements) > 1:
        raise UnreadableError("parsed", "several_statements", str(len(parsed.statements)))
    return parsed


def read_statement(
    parsed: ParsedText, outline: str, is_fragment: bool = False
) -> tuple[Statement, References]:
    """The query that a text of one statement is. UnreadableError; RecursionError where it nests too deep."""
    tree = parsed.statements[0]
    if sum(1 for _ in itertools.islice(tree.walk(), MAX_NODES + 1)) > MAX_NODES:
        raise UnreadableError("parsed", "too_large", f"the tree has over {MAX_NODES} nodes")
    statement = analyse(tree, parsed.dialect, parsed.sql)
    if statement.root is None or statement.has_write:
        raise UnreadableError("parsed", "not_a_query", statement.tree.key)
    return statement, References(statement, read_catalog(outline), is_fragment)


def components_of(statement: Statement, references: References, tokens: list[Token]) -> list[Component]:
    """All components of a statement, full_sql last. TooLongError and its like, RecursionError."""
    reader = _Reader(statement, references, WrittenText(statement.sql, tokens))
    if statement.root is not None:
        reader.query(statement.root)
        reader.whole(statement.root)
    return reader.found


def is_calculation(node: exp.Expr) -> bool:
    """An expression that computes: no plain column, value or subquery."""
    node = bare(node)
    while isinstance(node, exp.Collate):
        node = bare(node.this)
    if isinstance(node, _NO_CALCULATIONS) or is_value(node):
        return False
    return _uses_data(node)


def is_predicate(node: exp.Expr) -> bool:
    """An expression that is true or false."""
    return isinstance(bare(node), _PREDICATES)


def logical_parts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a condition that AND and OR join, in the order of the text; NOT stays with its operand."""
    waiting = [condition]
    while waiting:
        node = bare(waiting.pop())
        if isinstance(node, (exp.And, exp.Or)):
            waiting += [node.args["expression"], node.this]
        else:
            yield node


def _uses_data(node: exp.Expr) -> bool:
    return node.find(exp.Column, exp.Func, exp.Star, exp.Query) is not None


@dataclass
class _Reader:
    """Walks the queries of one statement in the order of the text."""

    statement: Statement
    references: References
    text: WrittenText
    found: list[Component] = field(default_factory=list)
    n_characters: int = 0

    def __post_init__(self) -> None:
        self.printer = SkeletonPrinter(self.references)
        self.publisher = Publisher(self.references)
        self.dialect = self.statement.dialect

    def _add(self, clause: str, knowledge_type: str, written: str, published: str, skeleton: str) -> None:
        self.found.append(Component(clause, knowledge_type, written, published, skeleton))
        self.n_characters += len(published) + len(skeleton)
        if len(self.found) > MAX_COMPONENTS:
            raise TooLongError(f"the text has over {MAX_COMPONENTS} components")
        if self.n_characters > MAX_TEXT_CHARACTERS:
            raise TooLongError(f"the components have over {MAX_TEXT_CHARACTERS} characters")
        if self.printer.n_expanded + self.publisher.n_expanded > MAX_ALL_EXPANSIONS:
            raise TooLongError(f"over {MAX_ALL_EXPANSIONS} names stand for expressions")

    def _written(self, node: exp.Expr) -> str:
        """An expression as it stands in the text, or as sqlglot writes it where its place is not known."""
        found = self.text.expression(bare(node))
        return found if found is not None else node.sql(dialect=self.dialect, comments=False)

    def _clause(self, clause: str, nodes: list[exp.Expr], otherwise: str) -> str:
        found = self.text.clause(clause, nodes)
        return found if found is not None else otherwise

    def _generated(self, nodes: Iterable[exp.Expr], between: str = " ") -> str:
        return between.join(node.sql(dialect=self.dialect, comments=False).strip() for node in nodes)

    def whole(self, root: Query) -> None:
        """The component full_sql."""
        self._add(
            "statement",
            "full_sql",
            self.statement.sql.strip(),
            self.publisher.statement_text(),
            self.printer.write(lambda: self.printer.query(root)),
        )

    def query(self, query: Query) -> None:
        """The components of a query and of all that are in it."""
        for cte in query.ctes:
            self.query(cte)
        if query.block is not None:
            self._block(query.block, query)
        elif query.branches:
            for branch in query.branches:
                self.query(branch)
            self._output(query.node, query)
        else:
            self._inside(query.node, query.parent, is_root=True)
        for wrapper in reversed(query.wrappers):
            self._output(wrapper, query)

    def _block(self, block: Block, query: Query) -> None:
        args = block.select.args
        if args.get("distinct") is not None:
            self._distinct(block)
        for item in block.select.expressions:
            self._calculations(item, block)
            self._inside(item, block)
        self._relation(block)
        for key in ("where", "having", "qualify"):
            if key == "having" and args.get("group") is not None:
                self._group(args["group"], query)
            if args.get(key) is not None:
                self._conditions(key, args[key].this, block)
        for window in args.get("windows") or ():
            self._window(window, block)
        self._output(block.select, query)

    def _distinct(self, block: Block) -> None:
        items = [(item, block) for item in block.select.expressions]
        published = self.publisher.listed("SELECT DISTINCT", items)
        nodes = list(block.select.expressions)
        written = self._clause("distinct", nodes, "SELECT DISTINCT " + self._generated(nodes, ", "))
        skeleton = self.printer.write(lambda: self.printer.select_list(block))
        self._add("distinct", "output", written, published, skeleton)

    def _calculations(self, item: exp.Expr, block: Block | None, clause: str = "select") -> None:
        for part in logical_parts(item):
            if is_calculation(part):
                published = self.publisher.expression(part, block)
                if is_predicate(part):
                    published = f"SELECT {published}"
                self._add(
                    clause,
                    "calculation",
                    self._written(part),
                    published,
                    self.printer.write(lambda part=part: self.printer.text(part, block)),  # type: ignore[misc]
                )

    def _conditions(self, clause: str, condition: exp.Expr, block: Block) -> None:
        moved = {id(one) for one in self.printer.join_predicates(block)} if clause == "where" else set()
        for part in logical_parts(condition):
            if id(part) not in moved and _uses_data(part):
                published = self.publisher.expression(part, block)
                if not is_predicate(part):
                    published = f"WHERE {published}"
                self._add(
                    clause,
                    "condition",
                    self._written(part),
                    published,
                    self.printer.write(lambda part=part: self.printer.text(part, block)),  # type: ignore[misc]
                )
            self._inside(part, block)

    def _relation(self, block: Block) -> None:
        start = block.select.args.get("from_")
        if start is None:
            return
        if has_join(block):
            predicates = self.printer.join_predicates(block)
            self._add(
                "from",
                "relation",
                self._written_relation(block, predicates),
                self.publisher.relation(block, predicates),
                self.printer.write(lambda: self.printer.relation(block)),
            )
        self._inside(start, block)
        for key in ("joins", "laterals"):
            for each in block.select.args.get(key) or ():
                self._inside(each, block)

    def _written_relation(self, block: Block, predicates: list[exp.Expr]) -> str:
        args = block.select.args
        joins = [*(args.get("joins") or ()), *(args.get("laterals") or ())]
        text = self._clause(
            "from", [args["from_"], *joins], self._generated([args["from_"]]) + " " + self._generated(joins)
        )
        if not predicates:
            return text
        return f"{text} WHERE {' AND '.join(self._written(one) for one in predicates)}"

    def _group(self, group: exp.Expr, query: Query) -> None:
        if group.expressions or any(group.args.values()):
            self._add(
                "group by",
                "dimension",
                self._clause("group by", [group], self._generated([group])),
                self.publisher.group(group, query),
                self.printer.write(lambda: self.printer.group(group, query)),
            )
        self._inside(group, query.block)

    def _output(self, node: exp.Expr, query: Query) -> None:
        order = node.args.get("order")
        ends = [node.args[key] for key in ("limit", "offset") if node.args.get(key) is not None]
        if order is None and not ends:
            return
        clause = "order by" if order is not None else "limit"
        nodes = [*([order] if order is not None else []), *ends]
        self._add(
            clause,
            "output",
            self._clause(clause, nodes, self._generated(nodes)),
            self.publisher.output(node, query),
            self.printer.write(lambda: self.printer.output(node, query)),
        )
        for key in order.expressions if order is not None else ():
            term = key.this if isinstance(key, exp.Ordered) else key
            self._calculations(term, query.block or query.parent, "order by")
            self._inside(term, query.block or query.parent)
        for each in ends:
            self._inside(each, query.block or query.parent)

    def _window(self, window: exp.Expr, block: Block | None) -> None:
        terms = window.args.get("partition_by") or []
        if terms:
            self._add(
                "partition by",
                "dimension",
                self._clause("partition by", terms, "PARTITION BY " + self._generated(terms, ", ")),
                self.publisher.listed("PARTITION BY", [(term, block) for term in terms]),
                self.printer.write(lambda: self.printer.partition(terms, block)),
            )
        order = window.args.get("order")
        if order is not None:
            keys = order.expressions
            self._add(
                "order by",
                "output",
                self._clause("window order by", [order], self._generated([order])),
                self.publisher.window_order(keys),
                self.printer.write(lambda: self.printer.window_order(keys, block)),
            )
            for key in keys:
                self._calculations(key.this if isinstance(key, exp.Ordered) else key, block, "order by")

    def _inside(self, root: exp.Expr, block: Block | None, is_root: bool = False) -> None:
        """The windows and queries within an expression or a source."""
        waiting = [*reversed(list(children(root)))] if is_root else [root]
        while waiting:
            node = waiting.pop()
            query = self.references.shown.inner_query(node)
            if query is not None:
                self.query(query)
                continue
            if isinstance(node, exp.Window):
                self._window(node, block)
            waiting += reversed(list(children(node)))


def has_join(block: Block) -> bool:
    """Whether a FROM has more than one source."""
    args = block.select.args
    start = args["from_"].this if args.get("from_") is not None else None
    if start is None:
        return False
    is_bracketed = isinstance(start, exp.Subquery) and isinstance(start.this, exp.Table)
    nested = is_bracketed or start.args.get("joins")
    return bool(args.get("joins") or args.get("laterals") or nested)
