"""Pieces of SQL in the spelling that knowledge is published in (BIRD-History, A.1): values are `<val>`.

Every piece can be read by itself: names that its own FROM does not declare go by their table's own name, CTEs
from outside it and aliases of SELECT give way to what they stand for. Inside a FROM of its own aliases stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlglot import exp

from glue.sql.references import INSTANCE_MARK, Expression, Named, References, Text, Use
from glue.sql.scopes import Block, Query, Source
from glue.sql.skeletons import MAX_EXPANSIONS, VALUE, VALUES, bare, is_value

MAX_PUBLISHED_CHARACTERS = 400_000
"""Longest published spelling."""


class TooLongToPublishError(Exception):
    """The piece would be longer than MAX_PUBLISHED_CHARACTERS."""


class _Declared:
    """What the FROMs of some SELECTs declare, beside what is declared around them."""

    def __init__(self, blocks: Iterable[Block], around: _Declared | None) -> None:
        self.selects: set[int] = set(around.selects) if around is not None else set()
        self.sources: set[int] = set(around.sources) if around is not None else set()
        self.names: set[str] = set(around.names) if around is not None else set()
        self.by_node: dict[int, Source] = dict(around.by_node) if around is not None else {}
        for block in blocks:
            self.selects.add(id(block.select))
            for source in block.sources.values():
                self.sources.add(id(source))
                self.names.add(source.alias.lower())
                self.by_node[id(source.node)] = source


class Publisher:
    """Publishes parts of one statement. `n_expanded` counts the names that it replaced, in all."""

    def __init__(self, references: References) -> None:
        self.references = references
        self.dialect = references.dialect
        self.statement = references.statement
        self.n_expanded = 0
        self._n_expanded = 0
        self._open: list[int] = []
        self._way: Use = ()
        self._uses: dict[str, list[Use]] = {}

    def expression(self, node: exp.Expr, block: Block | None) -> str:
        """An expression, condition or term of a block."""
        self._start()
        node = bare(node)
        if isinstance(node, exp.EQ):
            left, right = (self._written(self._copy(side)) for side in (node.this, node.args["expression"]))
            return f"{left}={right}"
        return self._written(self._copy(node))

    def statement_text(self) -> str:
        """The whole statement; its aliases stay."""
        self._start()
        copy = self.statement.tree.copy()
        self._mask(copy)
        return self._written(copy)

    def relation(self, block: Block, join_predicates: Iterable[exp.Expr]) -> str:
        """FROM with its joins, and in WHERE what joins tables that commas list."""
        self._start()
        args = block.select.args
        around = _Declared([block], None)
        select = exp.Select(expressions=[exp.Star()])
        for key in ("from_", "joins", "laterals"):
            value = args.get(key)
            if isinstance(value, list):
                select.set(key, [self._copy(one, around) for one in value])
            elif value is not None:
                select.set(key, self._copy(value, around))
        conditions = [self._copy(one, around) for one in join_predicates]
        if conditions:
            select.set("where", exp.Where(this=exp.and_(*conditions, copy=False)))
        return self._written(select).removeprefix("SELECT * ")

    def window_order(self, keys: Iterable[exp.Expr]) -> str:
        """ORDER BY of a window: it knows no aliases and numbers of SELECT."""
        self._start()
        return "ORDER BY " + ", ".join(self._directed(key, _term(key)) for key in keys)

    def listed(self, words: str, items: Iterable[tuple[exp.Expr, Block | None]]) -> str:
        """Words before a list: SELECT DISTINCT a, b; GROUP BY a."""
        self._start()
        return f"{words} {', '.join(self._written(self._copy(bare(node))) for node, _ in items)}"

    def group(self, group: exp.Expr, query: Query) -> str:
        """GROUP BY with numbers and aliases resolved."""
        if any(value for key, value in group.args.items() if key != "expressions"):
            self._start()
            return self._written(self._copy(group)).strip()
        return self.listed(
            "GROUP BY", [self.references.group_term(term, query) for term in group.expressions]
        )

    def output(self, node: exp.Expr, query: Query) -> str:
        """ORDER BY, every direction spelled out, with LIMIT and OFFSET."""
        self._start()
        parts = []
        order = node.args.get("order")
        if order is not None:
            parts.append(self.order(order.expressions, query))
        for key in ("limit", "offset"):
            clause = node.args.get(key)
            if clause is not None:
                value = clause.args.get("expression") or clause.args.get("count")
                value = VALUE if value is None or is_value(value) else self._written(self._copy(value))
                parts.append(f"{key.upper()} {value}")
        return " ".join(parts)

    def order(self, keys: Iterable[exp.Expr], query: Query) -> str:
        """ORDER BY, every direction spelled out."""
        return "ORDER BY " + ", ".join(self._order_key(key, query) for key in keys)

    def _order_key(self, key: exp.Expr, query: Query) -> str:
        meant, _ = self.references.order_term(_term(key), query)
        return self._directed(key, meant)

    def _directed(self, key: exp.Expr, meant: exp.Expr) -> str:
        text = self._written(self._copy(bare(meant)))
        if not isinstance(key, exp.Ordered):
            return f"{text} ASC"
        text += " DESC" if key.args.get("desc") else " ASC"
        nulls = self._nulls(key)
        return f"{text} {nulls}" if nulls else text

    def _nulls(self, key: exp.Expr) -> str:
        usual = exp.Ordered(
            this=exp.column("a"), desc=key.args.get("desc"), nulls_first=key.args.get("nulls_first")
        )
        text = usual.sql(dialect=self.dialect)
        return text[text.index(" NULLS") + 1 :] if " NULLS" in text else ""

    def _start(self) -> None:
        self._n_expanded = 0
        self._open = []
        self._way = ()
        self._uses = {}

    def _written(self, node: exp.Expr) -> str:
        text = node.sql(dialect=self.dialect, comments=False)
        if len(text) > MAX_PUBLISHED_CHARACTERS:
            raise TooLongToPublishError(f"a piece is longer than {MAX_PUBLISHED_CHARACTERS} characters")
        return text

    # Copies

    def _copy(self, node: exp.Expr, around: _Declared | None = None) -> exp.Expr:
        """A copy of a part that can be read by itself. `around`: what a FROM that goes with it declares."""
        node = bare(node)
        copy = node.copy()
        holder = exp.Paren(this=copy)  # so that the copy itself can be replaced
        pairs = list(zip(node.walk(), copy.walk(), strict=True))
        inside = [
            self.statement.block_of[id(original)]
            for original, _ in pairs
            if isinstance(original, exp.Select) and id(original) in self.statement.block_of
        ]
        if around is None or inside:
            around = _Declared(inside, around)
        own_queries = {id(original) for original, _ in pairs if isinstance(original, (exp.Query, exp.Values))}
        for original, copied in pairs:
            if isinstance(original, exp.Column):
                self._column(original, copied, around)
            elif isinstance(original, exp.Table):
                source = around.by_node.get(id(original))
                query = source.query if source is not None else None
                if source is not None and query is not None and id(query.node) not in own_queries:
                    self._inline(query, copied)
        self._mask(holder)
        return holder.this

    def _column(self, original: exp.Column, copied: exp.Expr, around: _Declared) -> None:
        block = self.references.block_of(original)
        if not isinstance(original.this, exp.Identifier):
            return
        source = self.references.source_of(original, block)
        if source is not None and id(source) in around.sources:
            return
        referent = self.references.referent(original, block)
        if isinstance(referent, Text):
            copied.replace(exp.Literal.string(VALUE))
        elif isinstance(referent, Named):
            is_inside = block is not None and id(block.select) in around.selects
            self._name(original, copied, referent, source, around.names if is_inside else ())
        elif not self._is_alias_inside(original, block, around.selects):
            self._expand(copied, referent)

    def _is_alias_inside(self, original: exp.Column, block: Block | None, inside: set[int]) -> bool:
        """An alias that a SELECT within the part gives."""
        if original.args.get("table") is not None:
            return False
        name = str(original.this.this).lower()
        while block is not None:
            if name in {alias.lower() for alias in block.aliases}:
                return id(block.select) in inside
            block = block.parent
        return False

    def _name(
        self,
        original: exp.Expr,
        copied: exp.Expr,
        named: Named,
        source: Source | None,
        taken: Collection[str],
    ) -> None:
        """Qualify a column by its table's own name; by number where `taken` or another use has that name."""
        for key in ("db", "catalog"):
            copied.set(key, None)
        if named.table is None:
            copied.set("table", None)
            return
        table = exp.to_identifier(named.table.rsplit(".", 1)[-1])
        if source is not None and source.table is not None and isinstance(source.node, exp.Table):
            table = source.node.this.copy()
        number = self._number(named)
        if number > 1 or table.name.lower() in taken:
            table = exp.to_identifier(f"{table.name}{INSTANCE_MARK}{max(number, 2)}", quoted=True)
        copied.set("table", table)
        if str(original.this.this).lower() != named.column:
            copied.set("this", exp.to_identifier(named.column))

    def _number(self, named: Named) -> int:
        uses = self._uses.setdefault(named.table or "", [])
        use = self._way + named.use
        if use not in uses:
            uses.append(use)
        return uses.index(use) + 1

    def _expand(self, copied: exp.Expr, meant: Expression) -> None:
        if id(meant.node) in self._open or self._n_expanded >= MAX_EXPANSIONS:
            copied.set("table", None)
            return
        self._n_expanded += 1
        self.n_expanded += 1
        self._open.append(id(meant.node))
        around, self._way = self._way, self._way + meant.way
        text = self._copy(meant.node)
        self._way = around
        self._open.pop()
        is_closed = isinstance(text, (exp.Column, exp.Func, exp.Literal, exp.Subquery))
        is_closed = is_closed and not isinstance(text, exp.Connector)  # sqlglot's AND and OR are functions
        copied.replace(text if is_closed else exp.Paren(this=text))

    def _inline(self, query: Query, copied: exp.Expr) -> None:
        """Put the query of a CTE in the place of its name; a recursive one keeps the name."""
        if id(query) in self._open or self._n_expanded >= MAX_EXPANSIONS:
            return
        self._n_expanded += 1
        self.n_expanded += 1
        self._open.append(id(query))
        body = self._copy(query.node)
        self._open.pop()
        alias = copied.args.get("alias") or exp.TableAlias(this=copied.this.copy())
        if query.column_names and not alias.args.get("columns"):
            alias = alias.copy()
            alias.set("columns", [exp.to_identifier(name) for name in query.column_names])
        copied.replace(exp.Subquery(this=body, alias=alias, joins=copied.args.get("joins")))

    def _mask(self, root: exp.Expr) -> None:
        for listing in root.find_all(exp.In):
            items = listing.expressions
            if len(items) > 1 and all(is_value(item) for item in items):
                listing.set("expressions", items[:1])
        for node in list(root.find_all(*VALUES)):
            if isinstance(node.parent, (exp.DataTypeParam, exp.Group)) or _is_place(node):
                continue
            if isinstance(node, exp.Literal):
                node.set("this", VALUE)
            else:
                node.replace(exp.Literal.number(VALUE))


def _term(key: exp.Expr) -> exp.Expr:
    return key.this if isinstance(key, exp.Ordered) else key


def _is_place(node: exp.Expr) -> bool:
    """The number of a column in ORDER BY."""
    return isinstance(node.parent, exp.Ordered) and not node.args.get("is_string")
