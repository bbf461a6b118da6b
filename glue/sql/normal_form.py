"""Exact match's normal form of a statement (ESQ-Bench §5.1): two texts that differ in writing alone have one.

Unified: case of keywords and of names the engine folds, quotes around names, whitespace, comments, a final
semicolon; AS, ASC, INNER and OUTER written or not; `!=` and `<>`, `==` and `=`, IFNULL and COALESCE (what
sqlglot's parser holds for one); a comma and CROSS JOIN. Aliases: tables go by their own names (`emp`, a
second one in sight `emp#2`), derived tables and CTEs by number (`query#1`, `cte#1`), aliases of SELECT give
way to what they stand for. The columns of the outermost SELECT are sorted, and those of derived tables and
CTEs where no star can see their order; a set operation's branches are sorted together, as their columns
belong together.

A qualifier is dropped in a block with one source (`SELECT t.a FROM t` is `SELECT a FROM t`), and added in a
block with several where the text tells the source: to columns of derived tables, and to `a` where `x.a` is
written too.

Kept apart: brackets, the order of everything but SELECT, literals to the letter (`1.0` is not `1`), and a
double-quoted name on the right of a comparison in SQLite, which may be a text: it keeps quotes and case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from sqlglot import exp

from glue.sql.scopes import SENSITIVE_TO_CASE, Block, Query, Source, Statement, fold, qualifier
from glue.sql.terms import (
    bare_term,
    collations,
    meant_by_term,
    numbered,
    ordinal,
    without_brackets,
)

_PLAIN_NAME = re.compile(r"[^\W\d][\w$]*\Z")
_FLAGS_OF_THE_PARSER = frozenset(
    {"big_int", "safe", "typed", "is_nvl", "ignore_nulls", "only_json_types", "date_part_boundary", "alias"}
)
"""Arguments that sqlglot derives from the dialect, not from the text (aliases are named elsewhere)."""
OPERATORS: dict[type, str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.IntDiv: "//",
    exp.Mod: "%",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.And: "and",
    exp.Or: "or",
    exp.Xor: "xor",
    exp.DPipe: "||",
    exp.Is: "is",
    exp.Like: "like",
    exp.ILike: "ilike",
    exp.Glob: "glob",
    exp.Collate: "collate",
    exp.Escape: "escape",
    exp.NullSafeEQ: "is not distinct from",
    exp.NullSafeNEQ: "is distinct from",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
    exp.SimilarTo: "similar to",
}
_ONE_WORD = (exp.Column, exp.Func, exp.Literal, exp.Paren)
"""What needs no brackets wherever it is put."""
SET_OPERATORS: dict[type, str] = {exp.Union: "union", exp.Except: "except", exp.Intersect: "intersect"}
QUERY_TAIL = (
    "qualify",
    "windows",
    "connect",
    "sample",
    "pivots",
    "match",
    "cluster",
    "distribute",
    "sort",
    "into",
)
SELECT_KNOWN = frozenset(
    {
        "with_",
        "expressions",
        "distinct",
        "from_",
        "joins",
        "laterals",
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
        *QUERY_TAIL,
    }
)


class Printer:
    """Writes a statement, or expressions of it, in normal form."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.dialect = statement.dialect
        self._nulls = _default_null_order(statement.dialect)
        self._orders: dict[int, list[int] | None] = {}

    def statement_text(self) -> str:
        """The normal form of the whole statement; sqlglot's own text for one that is no query."""
        if self.statement.root is None:
            return self.statement.tree.sql(dialect=self.dialect, comments=False)
        return self.query(self.statement.root)

    # --- Queries --------------------------------------------------------------------------------------------

    def query(self, query: Query) -> str:
        """A query with its WITH, ORDER BY and LIMIT, without brackets around it."""
        text = self._plain_query(query)
        for wrapper in reversed(query.wrappers):
            tail = self._tail(wrapper, query)
            if tail or query.wrappers[0] is not wrapper:
                text = f"({text}){tail}"
        ctes = [
            f"{cte.canonical}{self._column_list(cte)} as ({self.query(cte)})" if cte.node is not None else ""
            for cte in query.ctes
        ]
        return f"with {', '.join(ctes)} {text}" if ctes else text

    def _column_list(self, cte: Query) -> str:
        """Column names a CTE declares matter only where its own do not tell them apart."""
        if cte.column_names and cte.outputs().is_open:
            return f"({', '.join(self._name(name) for name in cte.column_names)})"
        return ""

    def _plain_query(self, query: Query) -> str:
        if query.block is not None:
            return self._select(query.block, query)
        if not query.branches:
            return self._generic(query.node, query.parent)
        self.column_order(query)  # before its branches ask for theirs
        parts = []
        operators = []
        node = query.node
        while isinstance(node, exp.SetOperation):
            operators.append(self._set_operator(node))
            node = node.this
        operators.reverse()
        for place, branch in enumerate(query.branches):
            if place:
                parts.append(operators[place - 1])
            text = self.query(branch)
            parts.append(f"({text})" if branch.wrappers or branch.ctes else text)
        return " ".join(parts) + self._tail(query.node, query)

    def _set_operator(self, node: exp.Expr) -> str:
        word = SET_OPERATORS.get(type(node), node.key)
        if node.args.get("distinct") is False:
            word += " all"
        extra = [
            f"{key} {value}"
            for key, value in node.args.items()
            if value and key not in ("this", "expression", "distinct", "with_", "order", "limit", "offset")
        ]
        return " ".join([word, *extra])

    def _select(self, block: Block, query: Query) -> str:
        node = block.select
        args = node.args
        parts = ["select"]
        distinct = args.get("distinct")
        if distinct is not None:
            on = distinct.args.get("on")
            parts.append("distinct" if on is None else f"distinct on {self.text(on, block)}")
        parts.append(", ".join(self._items(block, query)))
        if args.get("from_") is not None:
            parts.append("from " + self._from(args["from_"].this, block))
        parts += [self._join(join, block) for join in args.get("joins") or ()]
        parts += [f"lateral {self._from(lateral, block)}" for lateral in args.get("laterals") or ()]
        if args.get("where") is not None:
            parts.append("where " + self.text(args["where"].this, block, "where"))
        if args.get("group") is not None:
            parts.append("group by " + self._group(args["group"], block))
        if args.get("having") is not None:
            parts.append("having " + self.text(args["having"].this, block, "having"))
        for key, value in args.items():
            if value and (key in QUERY_TAIL or key not in SELECT_KNOWN):
                parts.append(f"{key.rstrip('_')} {self._value(value, block)}")
        return " ".join(parts) + self._tail(node, query)

    def _items(self, block: Block, query: Query) -> list[str]:
        items = [self.text(_unaliased(item), block) for item in block.select.expressions]
        order = self.column_order(query)
        if order is not None:
            return [items[place] for place in order] if len(order) == len(items) else items
        if query.context == "root" and not self._has_number(query):
            items.sort(key=_sort_key)
        return items

    def column_order(self, query: Query) -> list[int] | None:
        """The places of a query's columns in the order they are written; None where they keep theirs."""
        if id(query) in self._orders:
            return self._orders[id(query)]
        self._orders[id(query)] = None  # what a recursive CTE sees of itself keeps its order
        order = self._find_order(query)
        self._set_order(query, order)
        return order

    def _set_order(self, query: Query, order: list[int] | None) -> None:
        self._orders[id(query)] = order
        for branch in query.branches:
            self._set_order(branch, order)

    def _find_order(self, query: Query) -> list[int] | None:
        is_seen_by_place = query.context in ("from", "cte") and self.statement.has_star
        if query.context not in ("root", "from", "cte") or is_seen_by_place:
            return None
        outputs = query.outputs()
        if outputs.is_open:
            return None
        columns = [
            [self.text(expression, block) for expression, block in column.givers]
            for column in outputs.columns
        ]
        return sorted(range(len(columns)), key=lambda place: [_sort_key(text) for text in columns[place]])

    def _tail(self, node: exp.Expr, query: Query) -> str:
        parts = []
        order = node.args.get("order")
        if order is not None:
            keys = [self._order_key(key, query) for key in order.expressions]
            siblings = "siblings " if order.args.get("siblings") else ""
            parts.append(f" order {siblings}by {', '.join(keys)}")
        for key in ("limit", "offset"):
            clause = node.args.get(key)
            if clause is not None:
                parts.append(f" {self._limit(clause, query)}")
        return "".join(parts)

    def _limit(self, clause: exp.Expr, query: Query) -> str:
        value = clause.args.get("expression") or clause.args.get("count")
        options = clause.args.get("limit_options")
        words = ["offset" if isinstance(clause, exp.Offset) else "limit"]
        if value is not None:
            words.append(self.text(value, query.block or query.parent))
        if options is not None:
            words += [name for name in ("percent", "with_ties") if options.args.get(name)]
        if clause.args.get("expressions"):
            words.append("by " + self._value(clause.args["expressions"], query.block))
        return " ".join(words)

    def _order_key(self, key: exp.Expr, query: Query) -> str:
        if not isinstance(key, exp.Ordered):
            return self._order_term(key, query)
        text = self._order_term(key.this, query) + self._direction(key)
        if key.args.get("with_fill"):
            text += f" with fill {self._value(key.args['with_fill'], query.block)}"
        return text

    def _direction(self, key: exp.Expr) -> str:
        """DESC, and NULLS FIRST or LAST where it is not what the dialect does anyway."""
        is_descending = bool(key.args.get("desc"))
        nulls_first = key.args.get("nulls_first")
        text = " desc" if is_descending else ""
        if nulls_first is not None and bool(nulls_first) != self._nulls(is_descending):
            text += " nulls first" if nulls_first else " nulls last"
        return text

    def _has_number(self, query: Query) -> bool:
        """Whether its ORDER BY names a column by number."""
        order = query.modifier("order")
        return order is not None and any(ordinal(key, self.dialect) is not None for key in order.expressions)

    def _order_term(self, term: exp.Expr, query: Query) -> str:
        if query.block is not None:
            return self.whole_term(term, query.block)
        bare = bare_term(term)
        place = ordinal(term, self.dialect)
        if place is not None:
            place -= 1
        elif isinstance(bare, exp.Column):
            place = query.outputs().position(fold(bare.this, self.dialect))
        order = self.column_order(query)
        if place is not None and order is not None and 0 <= place < len(order):
            return self._collated(f"#{order.index(place) + 1}", term)
        if place is not None and place >= 0:
            return self._collated(f"#{place + 1}", term)
        return self.text(term, query.parent)

    def whole_term(self, term: exp.Expr, block: Block) -> str:
        """A term of ORDER BY: a number stands for that column of SELECT, an alias for what it names."""
        meant = meant_by_term(term, block)
        if meant is None:
            return self.text(without_brackets(term), block, "order")
        text = self.text(meant, block, "select")
        is_one = not collations(term) or isinstance(meant, _ONE_WORD)
        return self._collated(text if is_one else f"({text})", term)

    def _collated(self, text: str, term: exp.Expr) -> str:
        for collation in reversed(collations(term)):
            text += f" collate {self.text(collation.expression, None)}"
        return text

    def _group(self, group: exp.Expr, block: Block) -> str:
        parts = []
        for term in group.expressions:
            place = ordinal(term, self.dialect)
            meant = numbered(block, place) if place is not None else None
            if meant is not None:
                parts.append(self._collated(self.text(meant, block), term))
            else:
                parts.append(self.text(term, block, "group"))
        for key, value in group.args.items():
            if key != "expressions" and value:
                parts.append(f"{key} {self._value(value, block)}")
        return ", ".join(parts)

    # --- Sources --------------------------------------------------------------------------------------------

    def _from(self, node: exp.Expr, block: Block) -> str:
        source = next((one for one in block.sources.values() if one.node is node), None)
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            text = f"({self._from(node.this, block)})"
            return (
                text
                + (f" as {source.canonical}" if source is not None else "")
                + self._nested_joins(node, block)
            )
        if source is None:
            return self._generic(node, block)
        if source.table is not None:
            text = self._table_name(node)
            if source.canonical != source.table:
                text += f" as {source.canonical}"
        elif isinstance(node, exp.Table) and source.query is not None:
            text = str(source.query.canonical)
            if source.canonical != text:
                text += f" as {source.canonical}"
            text += self._renamed_columns(source)
        elif source.query is not None:
            text = f"({self.query(source.query)}) as {source.canonical}{self._renamed_columns(source)}"
        else:
            text = f"{self._generic(node, block)} as {source.canonical}{self._renamed_columns(source)}"
        for key in ("indexed", "sample", "pivots", "hints", "version", "ordinality", "partition", "when"):
            if node.args.get(key):
                text += f" {key} {self._value(node.args[key], block)}"
        return text + self._nested_joins(node, block)

    def _nested_joins(self, node: exp.Expr, block: Block) -> str:
        return "".join(f" {self._join(join, block)}" for join in node.args.get("joins") or ())

    def _renamed_columns(self, source: Source) -> str:
        """A list of column names after the alias matters only where the columns are not known by place."""
        if source.column_names and source.outputs().is_open:
            return f"({', '.join(self._name(name) for name in source.column_names)})"
        return ""

    def _table_name(self, node: exp.Expr) -> str:
        parts = [node.args.get(key) for key in ("catalog", "db", "this")]
        names = [self._name(fold(part, self.dialect)) for part in parts if isinstance(part, exp.Expr)]
        return ".".join(names[1:] if len(names) == 2 and names[0] == "main" else names)

    def _join(self, join: exp.Expr, block: Block) -> str:
        args = join.args
        on = args.get("on")
        kind = (args.get("kind") or "").lower()
        side = (args.get("side") or "").lower()
        method = (args.get("method") or "").lower()
        words = [word for word in (method, side, kind) if word and word not in ("inner", "outer", "cross")]
        is_always = on is None or (isinstance(on, exp.Boolean) and on.this is True)
        if not words and is_always and not args.get("using"):
            words.append("cross")
        text = " ".join([*words, "join", self._from(join.this, block)])
        if on is not None and not (is_always and not side):
            text += " on " + self.text(on, block)
        if args.get("using"):
            text += f" using ({', '.join(self._value(name, block) for name in args['using'])})"
        for key, value in args.items():
            if value and key not in ("this", "on", "using", "kind", "side", "method"):
                text += f" {key} {self._value(value, block)}"
        return text

    # --- Expressions ----------------------------------------------------------------------------------------

    def text(self, node: exp.Expr, block: Block | None, section: str = "select") -> str:
        """An expression that stands in a clause of a block."""
        writer = _WRITERS.get(type(node))
        if writer is not None:
            return writer(self, node, block, section)
        operator = OPERATORS.get(type(node))
        if operator is not None:
            return self._binary(node, operator, block, section)
        if isinstance(node, exp.Query):
            return self._subquery(node, block, section)
        return self._generic(node, block, section)

    def _binary(self, node: exp.Expr, operator: str, block: Block | None, section: str) -> str:
        """A chain of operators that leans to the left, however long, without recursion along it."""
        parts = []
        current: exp.Expr = node
        word: str | None = operator
        while word is not None:
            right = self.text(current.args["expression"], block, section)
            parts.append(f"not {word} {right}" if current.args.get("negate") else f"{word} {right}")
            current = current.this
            word = OPERATORS.get(type(current))
        parts.append(self.text(current, block, section))
        return " ".join(reversed(parts))

    def _column(self, node: exp.Expr, block: Block | None, section: str) -> str:
        inner = node.this
        if not isinstance(inner, (exp.Identifier, exp.Star)):
            return self._generic(node, block, section)
        mark = "(+)" if node.args.get("join_mark") else ""
        if block is None:
            return self._qualified_as_written(node) + mark
        if isinstance(inner, exp.Star):
            wanted = qualifier(node, self.dialect)
            source = block.sources.get(wanted or "")
            star = self._star(inner, block, section)
            return star if source is None or len(block.sources) == 1 else f"{source.canonical}.{star}"
        column: exp.Column = node  # type: ignore[assignment]
        if section != "select":
            meant = block.alias_meant(column, False)
            if meant is not None:
                text = self.text(meant, block)
                return text if isinstance(meant, _ONE_WORD) else f"({text})"
        if self._may_be_text(node):
            return f'"{inner.this}"'
        found = block.resolve(column)
        if found is None:
            return self._qualified_as_written(node) + mark
        source, owner = found
        name = self._output_name(source, fold(inner, self.dialect))
        if owner is block and len(block.sources) == 1:
            return name + mark
        return f"{source.canonical}.{name}{mark}"

    def _qualified_as_written(self, node: exp.Expr) -> str:
        parts = [node.args.get(key) for key in ("catalog", "db", "table")]
        names = [self._name(fold(part, self.dialect)) for part in parts if isinstance(part, exp.Expr)]
        last = "*" if isinstance(node.this, exp.Star) else self._name(fold(node.this, self.dialect))
        return ".".join([*names, last])

    def _output_name(self, source: Source, name: str) -> str:
        """The name of a source's column: by its place for a derived table whose columns are all known."""
        outputs = source.outputs() if source.query is not None else None
        place = None if outputs is None or outputs.is_open else outputs.position(name)
        if place is None or source.query is None:
            return self._name(name)
        order = self.column_order(source.query)
        return f"column#{(order.index(place) if order is not None else place) + 1}"

    def _may_be_text(self, node: exp.Expr) -> bool:
        """SQLite takes a double-quoted name that it does not find for a text; models write texts so."""
        if self.dialect != "sqlite" or node.args.get("table") is not None:
            return False
        parent = node.parent
        if (
            not isinstance(parent, (exp.Binary, exp.In, exp.Between, exp.Tuple))
            or parent.args.get("this") is node
        ):
            return False
        return is_double_quoted(node.this, self.statement.sql)

    def _name(self, folded: str) -> str:
        if self.dialect in SENSITIVE_TO_CASE:
            usual = SENSITIVE_TO_CASE[self.dialect](folded) == folded
            if usual and _PLAIN_NAME.match(folded):
                return folded.lower()
        elif _PLAIN_NAME.match(folded):
            return folded
        return '"' + folded.replace('"', '""') + '"'

    def _identifier(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return self._name(fold(node, self.dialect))

    def _literal(self, node: exp.Expr, block: Block | None, section: str) -> str:
        if node.args.get("is_string"):
            return "'" + str(node.this).replace("'", "''") + "'"
        return str(node.this).lower()

    def _star(self, node: exp.Expr, block: Block | None, section: str) -> str:
        extra = [f"{key} {self._value(value, block)}" for key, value in node.args.items() if value]
        return f"*({' '.join(extra)})" if extra else "*"

    def _null(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return "null"

    def _boolean(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return "true" if node.this else "false"

    def _alias(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return self.text(node.this, block, section)

    def _paren(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return f"({self.text(node.this, block, section)})"

    def _not(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return f"not {self.text(node.this, block, section)}"

    def _negative(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return f"- {self.text(node.this, block, section)}"

    def _between(self, node: exp.Expr, block: Block | None, section: str) -> str:
        this, low, high = (self.text(node.args[key], block, section) for key in ("this", "low", "high"))
        return f"{this} between{' symmetric' if node.args.get('symmetric') else ''} {low} and {high}"

    def _in(self, node: exp.Expr, block: Block | None, section: str) -> str:
        this = self.text(node.this, block, section)
        query = node.args.get("query")
        if query is not None:
            return f"{this} in {self.text(query, block, section)}"
        field = node.args.get("field")
        if field is not None:
            is_name = isinstance(field, exp.Column)
            return f"{this} in {self._qualified_as_written(field) if is_name else self._value(field, block)}"
        if node.args.get("unnest") is not None:
            return f"{this} in unnest {self._value(node.args['unnest'], block)}"
        items = ", ".join(self.text(item, block, section) for item in node.expressions)
        return f"{this} in ({items})"

    def _case(self, node: exp.Expr, block: Block | None, section: str) -> str:
        parts = ["case"]
        if node.args.get("this") is not None:
            parts.append(self.text(node.this, block, section))
        for branch in node.args["ifs"]:
            condition = self.text(branch.this, block, section)
            parts.append(f"when {condition} then {self.text(branch.args['true'], block, section)}")
        if node.args.get("default") is not None:
            parts.append(f"else {self.text(node.args['default'], block, section)}")
        return " ".join([*parts, "end"])

    def _cast(self, node: exp.Expr, block: Block | None, section: str) -> str:
        word = "cast" if type(node) is exp.Cast else node.key
        extra = "".join(
            f" {key} {self._value(value, block)}"
            for key, value in node.args.items()
            if value and key not in ("this", "to", "safe")
        )
        return f"{word}({self.text(node.this, block, section)} as {self._data_type(node.args['to'])}{extra})"

    def _data_type(self, node: exp.Expr, block: Block | None = None, section: str = "select") -> str:
        inner = node.args.get("this")
        if not isinstance(node, exp.DataType) or inner is None or isinstance(inner, exp.Expr):
            return self._generic(node, block)
        text = str(inner.value).lower()
        extra = [
            f"{key}={value}"
            for key, value in node.args.items()
            if value and key not in ("this", "expressions")
        ]
        items = [self._value(item, block) for item in node.expressions]
        return text + (f"({', '.join([*items, *extra])})" if items or extra else "")

    def _anonymous(self, node: exp.Expr, block: Block | None, section: str) -> str:
        items = ", ".join(self.text(item, block, section) for item in node.expressions)
        return f"{str(node.this).lower()}({items})"

    def _subquery(self, node: exp.Expr, block: Block | None, section: str) -> str:
        inner = node
        while isinstance(inner, exp.Subquery) and isinstance(inner.this, (exp.Query, exp.Values)):
            inner = inner.this
        query = self.statement.query_of.get(id(inner))
        return self._generic(node, block) if query is None else f"({self.query(query)})"

    def _exists(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return f"exists {self.text(node.this, block, section)}"

    def _tuple(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return f"({', '.join(self.text(item, block, section) for item in node.expressions)})"

    def _distinct(self, node: exp.Expr, block: Block | None, section: str) -> str:
        if node.args.get("on") is not None:
            return self._generic(node, block)
        return f"distinct {', '.join(self.text(item, block, section) for item in node.expressions)}"

    def _if(self, node: exp.Expr, block: Block | None, section: str) -> str:
        parts = [node.args.get(key) for key in ("this", "true", "false")]
        return f"iif({', '.join(self.text(part, block, section) for part in parts if part is not None)})"

    def _window(self, node: exp.Expr, block: Block | None, section: str) -> str:
        args = node.args
        parts = []
        if args.get("alias") is not None:
            parts.append(self._value(args["alias"], block))
        if args.get("partition_by"):
            parts.append(self.partition(args["partition_by"], block))
        if args.get("order") is not None:
            parts.append(
                "order by " + ", ".join(self._window_key(key, block) for key in args["order"].expressions)
            )
        if args.get("spec") is not None:
            parts.append(self._value(args["spec"], block))
        if args.get("first") is not None:
            parts.append(f"first {args['first']}")
        return f"{self.text(node.this, block, section)} over ({' '.join(parts)})"

    def partition(self, terms: Iterable[exp.Expr], block: Block | None) -> str:
        """PARTITION BY of a window."""
        return "partition by " + ", ".join(self.text(term, block) for term in terms)

    def _window_spec(self, node: exp.Expr, block: Block | None, section: str) -> str:
        args = node.args
        start, end = (
            " ".join(self._value(args[key], block) for key in (edge, f"{edge}_side") if args.get(key))
            for edge in ("start", "end")
        )
        exclude = f" exclude {self._value(args['exclude'], block)}" if args.get("exclude") else ""
        return (
            f"{str(args.get('kind') or 'range').lower()} between {start} and {end or 'current row'}{exclude}"
        )

    def _filter(self, node: exp.Expr, block: Block | None, section: str) -> str:
        condition = self.text(node.args["expression"].this, block, section)
        return f"{self.text(node.this, block, section)} filter (where {condition})"

    def _time_to_text(self, node: exp.Expr, block: Block | None, section: str) -> str:
        pattern = node.args.get("format")
        if self.dialect != "sqlite" or not isinstance(node.this, exp.TsOrDsToTimestamp) or pattern is None:
            return self._generic(node, block, section)
        return f"strftime({self.text(pattern, block, section)}, {self.text(node.this.this, block, section)})"

    def _window_key(self, key: exp.Expr, block: Block | None) -> str:
        if not isinstance(key, exp.Ordered):
            return self.text(key, block)
        return self.text(key.this, block) + self._direction(key)

    def _ordered(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return self._window_key(node, block)

    def _var(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return str(node.this).lower()

    def _generic(self, node: exp.Expr, block: Block | None, section: str = "select") -> str:
        """Any other node: its name and every argument that the text gave it, so that nothing is lost.

        Arguments stand in the order of the node's class, and go by name from the first that is left out.
        """
        parts = []
        has_gap = False
        for key in type(node).arg_types:
            value = node.args.get(key)
            if key in _FLAGS_OF_THE_PARSER:
                continue
            if value is None or value is False or value == []:
                has_gap = True
                continue
            text = self._value(value, block, section)
            parts.append(f"{key} => {text}" if has_gap and key != "expressions" else text)
        return f"{_function_name(type(node))}({', '.join(parts)})"

    def _value(self, value: object, block: Block | None, section: str = "select") -> str:
        if isinstance(value, exp.Expr):
            return self.text(value, block, section)
        if isinstance(value, list):
            return ", ".join(self._value(one, block, section) for one in value)
        if isinstance(value, str):
            return value.lower() if value.isupper() else value
        return str(value).lower()


_Writer = Callable[[Printer, exp.Expr, Block | None, str], str]

_WRITERS: dict[type, _Writer] = {
    exp.Column: Printer._column,
    exp.Identifier: Printer._identifier,
    exp.Literal: Printer._literal,
    exp.Star: Printer._star,
    exp.Null: Printer._null,
    exp.Boolean: Printer._boolean,
    exp.Alias: Printer._alias,
    exp.Paren: Printer._paren,
    exp.Not: Printer._not,
    exp.Neg: Printer._negative,
    exp.Between: Printer._between,
    exp.In: Printer._in,
    exp.Case: Printer._case,
    exp.Cast: Printer._cast,
    exp.TryCast: Printer._cast,
    exp.DataType: Printer._data_type,
    exp.Anonymous: Printer._anonymous,
    exp.Distinct: Printer._distinct,
    exp.Exists: Printer._exists,
    exp.If: Printer._if,
    exp.Tuple: Printer._tuple,
    exp.Window: Printer._window,
    exp.Ordered: Printer._ordered,
    exp.Var: Printer._var,
    exp.WindowSpec: Printer._window_spec,
    exp.Filter: Printer._filter,
    exp.TimeToStr: Printer._time_to_text,
}


def _function_name(kind: type[exp.Expr]) -> str:
    return kind.sql_names()[0].lower() if issubclass(kind, exp.Func) else str(kind.key)


def is_double_quoted(identifier: object, sql: str) -> bool:
    """The name is written in double quotes (not backticks or brackets) in its text."""
    if not isinstance(identifier, exp.Identifier) or not identifier.args.get("quoted"):
        return False
    start = identifier.meta.get("start")
    return isinstance(start, int) and 0 <= start < len(sql) and sql[start] == '"'


def _unaliased(item: exp.Expr) -> exp.Expr:
    return item.this if isinstance(item, exp.Alias) else item


def _sort_key(text: str) -> tuple[str, str]:
    return text.lower(), text


def _default_null_order(dialect: str) -> Callable[[bool], bool]:
    """Whether NULLs come first where the text does not say, asked whether the order is descending."""
    from sqlglot.dialects.dialect import Dialect

    rule = Dialect.get_or_raise(dialect).NULL_ORDERING
    if rule == "nulls_are_small":
        return lambda is_descending: not is_descending
    if rule == "nulls_are_large":
        return lambda is_descending: is_descending
    return lambda is_descending: False
