"""What is given where something else is: which expressions have one value over rows that share some others.

A LIMIT, a tie in an ORDER BY and a bare column do no harm where what is returned is fixed by what they go by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from glue.sql.functions import ROW_MAKERS, is_aggregate, is_random
from glue.sql.normal_form import Printer
from glue.sql.scopes import (
    Block,
    Query,
    Source,
    Statement,
    children,
    column_name,
    conjuncts,
    is_star,
    window_function,
)
from glue.sql.terms import bare_term, collations, meant_by_term, numbered, ordinal

Known = dict[str, type]
"""Expressions that are given: normal text -> class of the node."""


class FixedValues:
    """Answers for the expressions of one statement."""

    def __init__(self, statement: Statement, printer: Printer) -> None:
        self.statement = statement
        self.printer = printer
        self.dialect = statement.dialect
        self._constants: dict[int, Known] = {}
        self._one_row: dict[int, bool] = {}

    def is_total(self, query: Query, order: exp.Expr) -> bool:
        """Rows that tie on the keys of an ORDER BY are alike in every column returned."""
        terms = [key.this if isinstance(key, exp.Ordered) else key for key in order.expressions]
        if len(terms) == 1 and isinstance(terms[0], exp.Var) and terms[0].name.upper() == "ALL":
            return True
        if query.block is not None:
            return self._is_block_ordered(query.block, terms)
        outputs = query.outputs()
        if outputs.is_open or not outputs.columns:
            return False
        places = set()
        for term in terms:
            if not all(map(is_binary, collations(term))):
                continue
            bare = bare_term(term)
            place = ordinal(term, self.dialect)
            if place is not None:
                places.add(place - 1)
            elif isinstance(bare, exp.Column):
                found = outputs.position(column_name(bare, self.dialect))
                if found is not None:
                    places.add(found)
        return len(places & set(range(len(outputs.columns)))) == len(outputs.columns)

    def _is_block_ordered(self, block: Block, terms: list[exp.Expr]) -> bool:
        if block.select.args.get("distinct") is not None and not self._are_selected(block, terms):
            return False  # each row stands where one of its duplicates would
        return self._is_block_fixed(block, self.order_keys(block, terms))

    def _are_selected(self, block: Block, terms: list[exp.Expr]) -> bool:
        """The columns returned determine these terms."""
        shown: Known = {}
        for item in block.select.expressions:
            self.enter(shown, item.this if isinstance(item, exp.Alias) else item, block, "select")
        known = {**shown, **self.constant_columns(block)}
        return all(
            meant_by_term(term, block) is not None or self.is_fixed(term, block, known, False, "order")
            for term in terms
        )

    def order_keys(self, block: Block, terms: Iterable[exp.Expr]) -> Known:
        """The normal texts of the terms that rows tied on them share, aliases and numbers resolved."""
        keys: Known = {}
        for term in terms:
            meant = meant_by_term(term, block)
            if meant is None:
                self.enter(keys, term, block, "order")
            elif all(map(is_binary, collations(term))):
                self.enter(keys, meant, block, "select")
        return keys

    def enter(self, keys: Known, term: exp.Expr, block: Block, section: str) -> None:
        """Add a term of a clause to what is given, unless rows that share it may differ in it."""
        while isinstance(term, exp.Paren):
            term = term.this
        if isinstance(term, exp.Collate):
            if not is_binary(term):
                return
            term = term.this
        if any(is_random(node) for node in term.walk()):
            return
        keys[self.printer.text(term, block, section)] = type(term)

    def _is_block_fixed(self, block: Block, keys: Known) -> bool:
        """Where the keys are given, every column that the block returns is."""
        known = {**keys, **self.constant_columns(block)}
        if block.is_grouped and self.is_group_fixed(block, known):
            return True
        return all(self.is_fixed(item, block, known, False) for item in block.select.expressions)

    def is_group_fixed(self, block: Block, known: Known) -> bool:
        """Where these are given, so is the group."""
        group = block.select.args.get("group")
        if group is None:
            return True
        if any(value for key, value in group.args.items() if key != "expressions"):
            return False
        return all(self.is_fixed(term, block, known, False, "group") for term in self.group_terms(block))

    def group_terms(self, block: Block) -> list[exp.Expr]:
        """The terms of GROUP BY, numbers resolved."""
        group = block.select.args.get("group")
        terms = []
        for term in group.expressions if group is not None else ():
            place = ordinal(term, self.dialect)
            if place is not None:  # the number of a column behind a star could be any
                meant = numbered(block, place) if not collations(term) else None
                term = meant or exp.Star()
            terms.append(term)
        return terms

    def are_outputs_constant(self, query: Query) -> bool:
        """Every row that the query returns is the same."""
        if query.block is None:
            return False
        constants = self.constant_columns(query.block)
        return all(
            self.is_fixed(item, query.block, constants, False) for item in query.block.select.expressions
        )

    def constant_columns(self, block: Block) -> Known:
        """Columns that WHERE, or ON of an inner join, holds to one literal."""
        found = self._constants.get(id(block))
        if found is None:
            args = block.select.args
            conditions = [args["where"].this] if args.get("where") is not None else []
            if not block.has_outer_join:
                conditions += [
                    join.args["on"] for join in args.get("joins") or () if join.args.get("on") is not None
                ]
            found = {}
            for condition in conditions:
                for part in conjuncts(condition):
                    column = _column_held(part)
                    if column is not None:
                        found[self.printer.text(column, block)] = exp.Column
            self._constants[id(block)] = found
        return found

    def is_fixed(
        self,
        node: exp.Expr,
        block: Block,
        known: Known,
        are_aggregates_fixed: bool,
        section: str = "select",
    ) -> bool:
        """The expression has one value over rows (or rows of a group) that share the known ones."""
        while isinstance(node, exp.Binary) and type(node) not in known.values():  # a chain leans to the left
            if not self.is_fixed(node.expression, block, known, are_aggregates_fixed, section):
                return False
            node = node.this
        if isinstance(node, (exp.Alias, exp.Paren)):
            return self.is_fixed(node.this, block, known, are_aggregates_fixed, section)
        if isinstance(
            node, (exp.Literal, exp.Null, exp.Boolean, exp.Placeholder, exp.Parameter, exp.DataType, exp.Var)
        ):
            return True
        if known and type(node) in known.values() and self.printer.text(node, block, section) in known:
            return True
        if isinstance(node, exp.Column):
            return self._is_column_fixed(node, block, known, are_aggregates_fixed, section)
        if is_star(node) or is_random(node) or isinstance(node, ROW_MAKERS):
            return False
        if is_aggregate(node):
            return are_aggregates_fixed
        if isinstance(node, exp.Window):
            return are_aggregates_fixed and self._is_window_of_fixed(node, block, known, section)
        if isinstance(node, (exp.Query, exp.Values)):
            return self._is_subquery_fixed(node, block, known, are_aggregates_fixed, section)
        if isinstance(node, exp.Filter):
            return are_aggregates_fixed
        return self.are_fixed(children(node), block, known, are_aggregates_fixed, section)

    def _is_window_of_fixed(self, node: exp.Expr, block: Block, known: Known, section: str) -> bool:
        """The group fixes all that a window over groups is made of; its function is no aggregate of it."""
        function = window_function(node)
        parts = [*children(function), *(child for child in children(node) if child is not node.this)]
        return self.are_fixed(parts, block, known, True, section)

    def are_fixed(
        self,
        nodes: Iterable[exp.Expr],
        block: Block,
        known: Known,
        are_aggregates_fixed: bool,
        section: str,
    ) -> bool:
        return all(self.is_fixed(node, block, known, are_aggregates_fixed, section) for node in nodes)

    def _is_column_fixed(
        self, node: exp.Column, block: Block, known: Known, are_aggregates_fixed: bool, section: str
    ) -> bool:
        if is_star(node) or not isinstance(node.this, exp.Identifier):
            return False
        if section != "select":
            meant = block.alias_meant(node, False)
            if meant is not None and meant is not node:
                return self.is_fixed(meant, block, known, are_aggregates_fixed)
        found = block.resolve(node)
        return found is not None and found[1] is not block

    def _is_subquery_fixed(
        self, node: exp.Expr, block: Block, known: Known, are_aggregates_fixed: bool, section: str
    ) -> bool:
        """Of the columns of this block that a subquery names with their table, all are fixed."""
        for column in node.find_all(exp.Column):
            inner = self._block_around(column)
            if inner is None or inner is block:
                continue
            found = inner.resolve(column)
            if found is None or found[1] is not block:
                continue
            if not known or self.printer.text(column, inner) not in self._with_qualifiers(known, block):
                return False
        return True

    def _block_around(self, node: exp.Expr) -> Block | None:
        current = node.parent
        while current is not None:
            found = self.statement.block_of.get(id(current))
            if found is not None:
                return found
            current = current.parent
        return None

    def _with_qualifiers(self, known: Known, block: Block) -> set[str]:
        """The known texts as a subquery writes them: a block with one source leaves the qualifier out."""
        if len(block.sources) != 1:
            return set(known)
        prefix = next(iter(block.sources.values())).canonical
        return {f"{prefix}.{text}" for text, kind in known.items() if kind is exp.Column}

    def has_one_row(self, query: Query, ignore_limit: bool = False) -> bool:
        """The query returns one row at most, whatever the tables hold."""
        if not ignore_limit:
            rows = literal_rows(query.modifier("limit"))
            if rows is not None and 0 <= rows <= 1 and not has_ties(query.modifier("limit")):
                return True
        node = query.node
        if isinstance(node, exp.Values):
            return len(node.expressions) <= 1
        block = query.block
        if block is None:
            return False
        if self.dialect != "sqlite" and _makes_rows(block.select):
            return False
        group = block.select.args.get("group")
        if block.is_grouped and (group is None or self.is_group_fixed(block, self.constant_columns(block))):
            return True
        if id(query) not in self._one_row:
            self._one_row[id(query)] = False  # what a recursive CTE hears of itself
            self._one_row[id(query)] = self._has_one_row_in(block.sources.values())
        return self._one_row[id(query)]

    def _has_one_row_in(self, sources: Iterable[Source]) -> bool:
        return all(source.query is not None and self.has_one_row(source.query) for source in sources)

    def bare_columns(self, block: Block) -> Iterator[exp.Expr]:
        """The expressions of SELECT, HAVING and ORDER BY that a group does not determine."""
        select = block.select
        group = select.args.get("group")
        if group is not None and group.args.get("all"):
            return
        known = dict(self.constant_columns(block))
        for term in self.group_terms(block):
            self.enter(known, term, block, "group")
            meant = block.alias_meant(term, False) if isinstance(term, exp.Column) else None
            if meant is not None:
                self.enter(known, meant, block, "select")
        for item in select.expressions:
            if not self.is_fixed(item, block, known, True):
                yield item
        if select.args.get("having") is not None and not self.is_fixed(
            select.args["having"].this, block, known, True, "having"
        ):
            yield select.args["having"].this
        order = select.args.get("order")
        for key in order.expressions if order is not None else ():
            meant = meant_by_term(key.this, block)
            if meant is None and not self.is_fixed(key.this, block, known, True, "order"):
                yield key.this


def literal_rows(clause: exp.Expr | None) -> int | None:
    """Rows of a LIMIT, OFFSET or FETCH that is a whole literal, -1 for `LIMIT -1`; None for any other."""
    if clause is None:
        return None
    options = clause.args.get("limit_options")
    if options is not None and options.args.get("percent"):
        return None
    value = clause.args.get("expression") or clause.args.get("count")
    sign = 1
    while isinstance(value, (exp.Paren, exp.Neg)):
        sign = -sign if isinstance(value, exp.Neg) else sign
        value = value.this
    if isinstance(value, exp.Literal) and not value.args.get("is_string"):
        text = str(value.this)
        if text.isascii() and text.isdigit() and len(text) < 30:
            return sign * int(text)
    if isinstance(clause, exp.Fetch) and value is None:
        return 1
    return None


def has_ties(clause: exp.Expr | None) -> bool:
    options = clause.args.get("limit_options") if clause is not None else None
    return options is not None and bool(options.args.get("with_ties"))


def _makes_rows(select: exp.Expr) -> bool:
    """A function in SELECT that returns several rows: UNNEST, GENERATE_SERIES."""
    return any(item.find(*ROW_MAKERS) is not None for item in select.expressions)


def is_binary(collation: exp.Expr) -> bool:
    return str(collation.args["expression"].name).upper() == "BINARY"


def _column_held(condition: exp.Expr) -> exp.Column | None:
    """The column that `column = literal` or `column IS NULL` holds to one value."""
    if not isinstance(condition, (exp.EQ, exp.Is, exp.NullSafeEQ)):
        return None
    sides = (condition.this, condition.expression)
    for one, other in (sides, sides[::-1]):
        is_column = isinstance(one, exp.Column) and isinstance(one.this, exp.Identifier)
        if is_column and isinstance(other, (exp.Literal, exp.Null)):
            return one
    return None
