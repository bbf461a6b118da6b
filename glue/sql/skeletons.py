"""The skeleton of a piece of SQL: one text for all pieces that hold the same knowledge (BIRD-History, §5.1).

As in `normal_form`, writing does not count. Beyond it: values are `<val>` (LIMIT and lists of IN too; NULL,
TRUE and FALSE stay), columns go by their table's own name wherever text and catalog tell it, aliases of
SELECT and columns of derived tables and CTEs by what they stand for, brackets by precedence alone. Sorted
are: the sides of `=` and `<>` (`a < b` and `b > a` are one), the parts of AND and OR, terms and factors, the
tables of inner joins with all their conditions, the terms of GROUP BY and of SELECT. Several uses of one
table are numbered (`person`, `person#2`) so that the order of writing does not show.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from sqlglot import exp

from glue.sql.normal_form import OPERATORS, QUERY_TAIL, SELECT_KNOWN, SET_OPERATORS, Printer
from glue.sql.references import INSTANCE_MARK, Expression, Named, References, Text, Use, reading
from glue.sql.scopes import Block, Query, Source, conjuncts, qualifier

VALUE = "<val>"
MAX_NUMBERINGS = 24
"""Most ways of numbering the uses of tables that are tried out."""
MAX_TRIED_CHARACTERS = 4_000
"""Longest skeleton for which they are."""
MAX_EXPANSIONS = 100
"""Most names that are replaced by what they stand for, in one piece."""
MAX_SKELETON_CHARACTERS = 400_000
"""Longest skeleton: what CTEs stand for may double with every CTE."""
MAX_RUNS = 1_000
"""Most operators one after another in an expression, those of one sum or product counted once."""
VALUES = (
    *(exp.Literal, exp.HexString, exp.BitString, exp.ByteString, exp.National, exp.RawString),
    *(exp.Parameter, exp.Placeholder),
)
"""Nodes that are values of the data."""

_UNKNOWN = "?"
_MARK = re.compile("\ue000(\\d+)\ue001")
_PLAIN_NAME = re.compile(r"[^\W\d][\w$]*\Z")
_SORTED_OPERATORS = (exp.Add, exp.Mul, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor)
_FLAT = (exp.DPipe, exp.Sub)
"""Operators whose chains need no brackets: they lean to the left."""
_MIRRORED: Mapping[type, str] = {exp.GT: "<", exp.GTE: "<=", exp.LT: ">", exp.LTE: ">="}
_EQUALITIES = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)
_KEEPING = {"right", "full"}
"""Joins that keep rows of their table which nothing before them matches."""
_COMPOUND = (*OPERATORS, exp.Not, exp.Between, exp.In, exp.Neg)
_AFFINITIES = {
    **dict.fromkeys(("float", "double", "real", "decimal"), "real"),
    **dict.fromkeys(("text", "varchar", "char", "nvarchar", "nchar"), "text"),
    **dict.fromkeys(("int", "bigint", "smallint", "tinyint", "mediumint"), "int"),
}
"""SQLite casts to the first of these names and to the second alike."""
_SORTED_CONTEXTS = ("root", "from", "cte")


class TooLongError(Exception):
    """The skeleton would be longer than MAX_SKELETON_CHARACTERS."""


class SkeletonPrinter(Printer):
    """Writes skeletons of parts of one statement. Use `write`: it numbers the uses of tables.

    `n_expanded` counts the names that were replaced by what they stand for, in all.
    """

    def __init__(self, references: References) -> None:
        super().__init__(references.statement)
        self.references = references
        self.n_expanded = 0
        self._numbers: dict[Hashable, int] | None = None
        self._uses: dict[str, list[Hashable]] = {}
        self._marks: dict[Hashable, int] = {}
        self._open: list[int] = []
        self._way: Use = ()
        self._n_expanded = 0
        self._n_characters = 0

    def write(self, writer: Callable[[], str]) -> str:
        """What a writer writes with this printer. TooLongError; RecursionError where it is too deep."""
        self._uses, self._marks = {}, {}
        marked = self._once(writer, None)
        several = [uses for uses in self._uses.values() if len(uses) > 1]
        if not several:
            return _MARK.sub("", marked)
        n_ways = math.prod(math.factorial(min(len(uses), 5)) for uses in several)
        if n_ways <= MAX_NUMBERINGS and len(marked) <= MAX_TRIED_CHARACTERS:
            ways: Iterator[tuple[Sequence[Hashable], ...]]
            ways = itertools.product(*(itertools.permutations(uses) for uses in several))
            return min(self._once(writer, _numbered(way)) for way in ways)
        met = {int(mark): place for place, mark in enumerate(dict.fromkeys(_MARK.findall(marked)))}
        marks = self._marks
        return self._once(
            writer,
            _numbered(sorted(uses, key=lambda use: met.get(marks[use], len(met))) for uses in several),
        )

    def _once(self, writer: Callable[[], str], numbers: dict[Hashable, int] | None) -> str:
        self._numbers = numbers
        self._n_expanded = self._n_characters = 0
        self._open, self._way = [], ()
        return writer()

    # Names

    def _named(self, named: Named) -> str:
        column = plain_name(named.column)
        if named.table is None:
            return f"{_UNKNOWN}.{column}"
        return f"{plain_name(named.table)}{self._instance(named.table, self._way + named.use)}.{column}"

    def _instance(self, table: str, use: Hashable) -> str:
        if self._numbers is not None:
            number = self._numbers.get(use, 1)
            return f"{INSTANCE_MARK}{number}" if number > 1 else ""
        if use not in self._marks:
            self._marks[use] = len(self._marks)
            self._uses.setdefault(table, []).append(use)
        return f"\ue000{self._marks[use]}\ue001"

    def _identifier(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return plain_name(str(node.this).lower())

    def _referred(self, column: exp.Column, block: Block | None) -> str:
        if isinstance(column.this, exp.Star):
            wanted = qualifier(column, self.dialect)
            source = block.sources.get(wanted or "") if block is not None else None
            if source is None or source.table is None:
                return "*"
            table = self.references.table(source.table)
            return f"{plain_name(table)}{self._instance(table, (*self._way, id(source)))}.*"
        if not isinstance(column.this, exp.Identifier):
            return self._generic(column, block)
        referent = self.references.referent(column, block)
        if isinstance(referent, Text):
            return VALUE
        if isinstance(referent, Expression):
            return self._expanded(referent, str(column.this.this).lower())
        return self._named(referent) + ("(+)" if column.args.get("join_mark") else "")

    def _expanded(self, meant: Expression, name: str) -> str:
        key = id(meant.node)
        if key in self._open or self._n_expanded >= MAX_EXPANSIONS:
            return f"{_UNKNOWN}.{plain_name(name)}"
        self._n_expanded += 1
        self.n_expanded += 1
        self._open.append(key)
        around, self._way = self._way, self._way + meant.way
        text = self.text(meant.node, meant.block)
        self._way = around
        self._open.pop()
        return self._counted(text)

    def _counted(self, text: str) -> str:
        self._n_characters += len(text)
        if self._n_characters > MAX_SKELETON_CHARACTERS:
            raise TooLongError(f"the skeleton is longer than {MAX_SKELETON_CHARACTERS} characters")
        return text

    # Expressions

    def text(self, node: exp.Expr, block: Block | None, section: str = "select") -> str:
        """The skeleton of an expression that stands in a block."""
        node = bare(node)
        if is_value(node):
            return VALUE
        writer = _WRITERS.get(type(node))
        if writer is not None:
            return writer(self, node, block, section)
        if isinstance(node, exp.Column):
            return self._referred(node, block)
        if isinstance(node, (exp.And, exp.Or)):
            return self._connected(node, block)
        if type(node) in OPERATORS:
            return self._operation(node, block)
        return super().text(node, block, section)

    def _operand(self, node: exp.Expr, block: Block | None) -> str:
        text = self.text(node, block)
        return f"({text})" if self._is_compound(node, block) else text

    def _is_compound(self, node: exp.Expr, block: Block | None) -> bool:
        node = self._meant(node, block)
        return isinstance(node, _COMPOUND) and not is_value(node)

    def _meant(self, node: exp.Expr, block: Block | None) -> exp.Expr:
        """A node without brackets; of a name that stands for an expression, that expression."""
        node = bare(node)
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
            referent = self.references.referent(node, block)
            return bare(referent.node) if isinstance(referent, Expression) else node
        return node

    def parts(self, condition: exp.Expr, block: Block | None) -> list[str]:
        """The parts of a condition that AND joins, sorted, each once."""
        texts = [self._operand_of_and(part, block) for part in conjuncts(condition)]
        return self._sorted(texts)

    def _operand_of_and(self, node: exp.Expr, block: Block | None) -> str:
        text = self.text(node, block)
        return f"({text})" if isinstance(self._meant(node, block), exp.Or) else text

    def _connected(self, node: exp.Expr, block: Block | None) -> str:
        if isinstance(node, exp.And):
            return " and ".join(self.parts(node, block))
        texts = []
        waiting = [node]
        while waiting:
            part = bare(waiting.pop())
            if isinstance(part, exp.Or):
                waiting += [part.this, part.args["expression"]]
            else:
                text = self.text(part, block)
                texts.append(f"({text})" if isinstance(self._meant(part, block), exp.And) else text)
        return " or ".join(self._sorted(texts))

    def _sorted(self, texts: Iterable[str]) -> list[str]:
        return sorted(dict.fromkeys(texts), key=_order)

    def _operation(self, node: exp.Expr, block: Block | None) -> str:
        if isinstance(node, _EQUALITIES):
            sides = [self._operand(side, block) for side in (node.this, node.args["expression"])]
            return f" {OPERATORS[type(node)]} ".join(sorted(sides, key=_order))
        if type(node) in _MIRRORED:
            left, right = (self._operand(side, block) for side in (node.this, node.args["expression"]))
            is_greater = OPERATORS[type(node)].startswith(">")
            if (_order(right), is_greater) < (_order(left), not is_greater):
                return f"{right} {_MIRRORED[type(node)]} {left}"
            return f"{left} {OPERATORS[type(node)]} {right}"
        return self._chain(node, block)

    def _chain(self, node: exp.Expr, block: Block | None) -> str:
        """A chain of operators that leans to the left, however long, without recursion along it."""
        spine = []
        current = node
        while type(current) in OPERATORS and not self._is_own(current):
            spine.append(current)
            current = bare(current.this)
        text = self._operand(current, block)
        is_first = True
        n_runs = 0
        while spine:
            lowest = spine.pop()
            kind = type(lowest)
            n_runs += 1
            if n_runs > MAX_RUNS:
                raise TooLongError(f"an expression has over {MAX_RUNS} operators that cannot be sorted")
            if not is_first:
                text = f"({text})"
            is_first = False
            right = self._operand(lowest.args["expression"], block)
            if kind in _SORTED_OPERATORS:
                operands = [text, right]
                while spine and type(spine[-1]) is kind:
                    operands.append(self._operand(spine.pop().args["expression"], block))
                text = f" {OPERATORS[kind]} ".join(sorted(operands, key=_order))
            else:
                words = [text]
                while True:
                    word = OPERATORS[kind]
                    words += [f"not {word}" if lowest.args.get("negate") else word, right]
                    if not (kind in _FLAT and spine and type(spine[-1]) is kind):
                        break
                    lowest = spine.pop()
                    right = self._operand(lowest.args["expression"], block)
                text = " ".join(words)
        return text

    def _is_own(self, node: exp.Expr) -> bool:
        return isinstance(node, (exp.And, exp.Or, *_EQUALITIES)) or type(node) in _MIRRORED

    def _not(self, node: exp.Expr, block: Block | None, section: str) -> str:
        text = self.text(node.this, block)
        return f"not ({text})" if isinstance(self._meant(node.this, block), exp.Connector) else f"not {text}"

    def _negative(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return f"- {self._operand(node.this, block)}"

    def _between(self, node: exp.Expr, block: Block | None, section: str) -> str:
        this, low, high = (self._operand(node.args[key], block) for key in ("this", "low", "high"))
        return f"{this} between{' symmetric' if node.args.get('symmetric') else ''} {low} and {high}"

    def _in(self, node: exp.Expr, block: Block | None, section: str) -> str:
        this = self._operand(node.this, block)
        for key in ("query", "field", "unnest"):
            value = node.args.get(key)
            if value is not None and id(value) in self.statement.read_after_in:
                return f"{this} in {plain_name(str(value.this.this).lower())}"
            if value is not None:
                return f"{this} in {self._value(value, block)}"
        if all(self._is_value(item, block) for item in node.expressions):
            return f"{this} in {VALUE}"
        return f"{this} in ({', '.join(self._sorted(self.text(item, block) for item in node.expressions))})"

    def _is_value(self, node: exp.Expr, block: Block | None) -> bool:
        node = bare(node)
        if isinstance(node, exp.Tuple):
            return all(self._is_value(item, block) for item in node.expressions)
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
            return isinstance(self.references.referent(node, block), Text)
        return is_value(node)

    def _case(self, node: exp.Expr, block: Block | None, section: str) -> str:
        parts = ["case"]
        if node.args.get("this") is not None:
            parts.append(self._operand(node.this, block))
        for branch in node.args["ifs"]:
            parts += self._when(branch, block)
        return self._ended(parts, node.args.get("default"), block)

    def _if(self, node: exp.Expr, block: Block | None, section: str) -> str:
        return self._ended(["case", *self._when(node, block)], node.args.get("false"), block)

    def _when(self, branch: exp.Expr, block: Block | None) -> list[str]:
        return [f"when {self.text(branch.this, block)} then {self.text(branch.args['true'], block)}"]

    def _ended(self, parts: list[str], default: exp.Expr | None, block: Block | None) -> str:
        if default is not None and not isinstance(bare(default), exp.Null):
            parts.append(f"else {self.text(default, block)}")
        return " ".join([*parts, "end"])

    def _count(self, node: exp.Expr, block: Block | None, section: str) -> str:
        counted = node.this
        if isinstance(counted, exp.Expr) and not node.expressions and is_value(bare(counted)):
            return "count(*)"
        return self._generic(node, block)

    def _data_type(self, node: exp.Expr, block: Block | None = None, section: str = "select") -> str:
        text = super()._data_type(node, block, section)
        if self.dialect != "sqlite":
            return text
        name = text.partition("(")[0]
        return _AFFINITIES.get(name, text)

    # Queries

    def query(self, query: Query) -> str:
        """A query with its ORDER BY and LIMIT; a CTE is written where it is read."""
        if id(query) in self._open:
            return "recursive"
        self._open.append(id(query))
        text = self._plain_query(query)
        for wrapper in reversed(query.wrappers):
            tail = self._tail(wrapper, query)
            text = f"({text}){tail}" if tail else text
        self._open.pop()
        return self._counted(text)

    def _plain_query(self, query: Query) -> str:
        if query.block is not None:
            return self._select(query.block, query)
        if not query.branches:
            return self._generic(query.node, query.parent)
        operators = []
        node = query.node
        while isinstance(node, exp.SetOperation):
            operators.append(self._set_operator(node))
            node = node.this
        operators.reverse()
        texts = [self.query(branch) for branch in query.branches]
        texts = [
            f"({text})" if branch.wrappers or branch.branches else text
            for text, branch in zip(texts, query.branches, strict=True)
        ]
        if len(set(operators)) == 1 and not operators[0].startswith("except"):
            text = f" {operators[0]} ".join(sorted(texts, key=_order))
        else:
            joined = zip(["", *operators], texts, strict=True)
            text = " ".join(f"{operator} {branch}".strip() for operator, branch in joined)
        return text + self._tail(query.node, query)

    def _set_operator(self, node: exp.Expr) -> str:
        word = SET_OPERATORS.get(type(node), str(node.key))
        return f"{word} all" if node.args.get("distinct") is False else word

    def _select(self, block: Block, query: Query) -> str:
        args = block.select.args
        parts = [self.select_list(block, query)]
        if args.get("from_") is not None:
            parts.append(self.relation(block))
        if args.get("where") is not None:
            moved = {id(one) for one in self.join_predicates(block)}
            kept = [part for part in conjuncts(args["where"].this) if id(part) not in moved]
            texts = self._sorted(self._operand_of_and(part, block) for part in kept)
            if texts:
                parts.append("where " + " and ".join(texts))
        if args.get("group") is not None:
            parts.append(self.group(args["group"], query))
        if args.get("having") is not None:
            parts.append("having " + " and ".join(self.parts(args["having"].this, block)))
        for key, value in args.items():
            if value and (key in QUERY_TAIL or key not in SELECT_KNOWN):
                parts.append(f"{key.rstrip('_')} {self._value(value, block)}")
        return " ".join(parts) + self._tail(block.select, query)

    def select_list(self, block: Block, query: Query | None = None) -> str:
        """SELECT, DISTINCT and the items, sorted where no place counts (`query` None: as if it did not)."""
        distinct = block.select.args.get("distinct")
        words = "select"
        if distinct is not None:
            on = distinct.args.get("on")
            words += " distinct" if on is None else f" distinct on {self.text(on, block)}"
        if query is not None and query.context == "exists":
            return f"{words} *"
        items = [self.text(item, block) for item in block.select.expressions]
        if query is None or query.context in _SORTED_CONTEXTS:
            items.sort(key=_order)
        return f"{words} {', '.join(items)}"

    def group(self, group: exp.Expr, query: Query) -> str:
        """GROUP BY with its terms sorted."""
        terms = self._sorted(
            self.text(*self.references.group_term(term, query)) for term in group.expressions
        )
        extra = [
            f"{key} {self._value(value, query.block)}"
            for key, value in group.args.items()
            if key != "expressions" and value
        ]
        return f"group by {', '.join([*terms, *extra])}"

    def _tail(self, node: exp.Expr, query: Query) -> str:
        text = self.output(node, query)
        return f" {text}" if text else ""

    def output(self, node: exp.Expr, query: Query) -> str:
        """ORDER BY, LIMIT and OFFSET of a SELECT, a set operation or brackets; empty without any."""
        parts = []
        if node.args.get("order") is not None:
            parts.append(self.order(node.args["order"].expressions, query))
        parts += [self._limit(node.args[key], query) for key in ("limit", "offset") if node.args.get(key)]
        return " ".join(parts)

    def order(self, keys: Iterable[exp.Expr], query: Query) -> str:
        """ORDER BY: each term with its direction."""
        return "order by " + ", ".join(self._order_key(key, query) for key in keys)

    def _order_key(self, key: exp.Expr, query: Query) -> str:
        term = key.this if isinstance(key, exp.Ordered) else key
        text = self.text(*self.references.order_term(term, query))
        return text + self._direction(key)

    def window_order(self, keys: Iterable[exp.Expr], block: Block | None) -> str:
        """ORDER BY of a window: it knows no aliases and numbers of SELECT."""
        keys = list(keys)
        terms = [self.text(key.this if isinstance(key, exp.Ordered) else key, block) for key in keys]
        return "order by " + ", ".join(
            text + self._direction(key) for text, key in zip(terms, keys, strict=True)
        )

    def _direction(self, key: exp.Expr) -> str:
        text = super()._direction(key)
        return text if text.startswith(" desc") else f" asc{text}"

    def partition(self, terms: Iterable[exp.Expr], block: Block | None) -> str:
        """PARTITION BY of a window, its terms sorted."""
        return "partition by " + ", ".join(self._sorted(self.text(term, block) for term in terms))

    # FROM

    def join_predicates(self, block: Block) -> list[exp.Expr]:
        """The parts of WHERE that do for a comma or CROSS JOIN what ON does for others: `a.x = b.y`."""
        return [part for part, _ in self._moved(block)]

    def _moved(self, block: Block) -> Iterator[tuple[exp.Expr, exp.Expr]]:
        """These parts, each with the join that brings the second of its tables.

        What WHERE tests of an outer join's table is no ON: it leaves out rows that the join keeps.
        """
        where = block.select.args.get("where")
        joins = block.select.args.get("joins") or []
        loose = {
            place
            for place, join in enumerate(joins)
            if join.args.get("on") is None and not join.args.get("using") and not join.args.get("method")
        }
        if where is None or not loose:
            return
        kept = max((place for place, join in enumerate(joins) if _KEEPING & {*_join_words(join)}), default=-1)
        tops = {id(join.this): place for place, join in enumerate(joins)}
        places = {id(source): _place(source.node, tops) for source in block.sources.values()}
        for part in conjuncts(where.this):
            if not isinstance(part, exp.EQ):
                continue
            sides = [bare(part.this), bare(part.args["expression"])]
            if not all(isinstance(side, exp.Column) for side in sides):
                continue
            sources = {id(self.references.source_of(side, block)) for side in sides}  # type: ignore[arg-type]
            if len(sources) != 2 or not sources <= places.keys():
                continue
            found = {places[source] for source in sources}
            last = max(found)
            if found & loose and last > kept and not _join_words(joins[last]):
                yield part, joins[last]

    def relation(self, block: Block) -> str:
        """FROM with its joins. Inner joins are a set of tables and a set of conditions."""
        args = block.select.args
        joins = [*(args.get("joins") or ())]
        moved: dict[int, list[str]] = {}
        for part, join in self._moved(block):
            moved.setdefault(id(join), []).append(self.text(part, block))
        text = self._joined(args["from_"].this, joins, block, moved)
        laterals = [f"lateral {self._generic(lateral, block)}" for lateral in args.get("laterals") or ()]
        return " ".join(["from", text, *laterals])

    def _joined(
        self, start: exp.Expr, joins: list[exp.Expr], block: Block, moved: Mapping[int, list[str]]
    ) -> str:
        """Sources with their joins; `moved`: conditions from WHERE, by the join that they belong to."""
        runs: list[str] = []
        tables: list[str] = []
        conditions: list[str] = []
        self._add(start, tables, conditions, block)
        for join in joins:
            words = _join_words(join)
            if not words:
                self._add(join.this, tables, conditions, block)
                conditions += self._join_conditions(join, block) + moved.get(id(join), [])
                continue
            right = self._source(join.this, block)
            if words == ["right"] and not runs and len(tables) == 1 and not conditions:
                words, tables, right = ["left"], [right], tables[0]
            runs += _run(tables, conditions, bool(runs))
            tables, conditions = [], []
            on = self._sorted(self._join_conditions(join, block))
            runs.append(" ".join([*words, "join", right, *(["on", " and ".join(on)] if on else [])]))
        runs += _run(tables, conditions, bool(runs))
        return " ".join(runs)

    def _add(self, node: exp.Expr, tables: list[str], conditions: list[str], block: Block) -> None:
        """A source with the joins that hang on it, in brackets or not, to the tables of a run."""
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            joins = [*(node.this.args.get("joins") or ()), *(node.args.get("joins") or ())]
            first: exp.Expr = node.this
        else:
            joins, first = [*(node.args.get("joins") or ())], node
        if any(_join_words(join) for join in joins):
            tables.append(f"({self._joined(first, joins, block, {})})")
            return
        tables.append(self._source(first, block))
        for join in joins:
            self._add(join.this, tables, conditions, block)
            conditions += self._join_conditions(join, block)

    def _join_conditions(self, join: exp.Expr, block: Block) -> list[str]:
        on = join.args.get("on")
        found = []
        if on is not None and not (isinstance(on, exp.Boolean) and on.this is True):
            found += self.parts(on, block)
        shown = self.references.joins(block).get(id(join))
        merged = shown.merged if shown is not None else {}
        for name, (left, right) in merged.items():
            sides = [self._column_of(source, name) for source in (left[0], right)]
            found.append(" = ".join(sorted(sides, key=_order)))
        for named in join.args.get("using") or ():
            name = self.references.shown.name_key(named if isinstance(named, exp.Identifier) else named.this)
            if name not in merged:
                found.append(f"using {plain_name(name)}")
        return found

    def _column_of(self, source: Source, name: str) -> str:
        table = self.references.table(source.table) if source.table is not None else None
        return self._named(Named(table, name, (*reading(source), id(source))))

    def _source(self, node: exp.Expr, block: Block) -> str:
        """A source of a FROM: a table's own name, a derived table or CTE as its query."""
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            joins = [*(node.this.args.get("joins") or ()), *(node.args.get("joins") or ())]
            return f"({self._joined(node.this, joins, block, {})})"
        source = self.references.sources(block).get(id(node))
        if source is None:
            return self._generic(node, block)
        if source.table is not None:
            text = plain_name(self.references.table(source.table))
        elif source.query is not None:
            around, self._way = self._way, self._way + reading(source)
            text = f"({self.query(source.query)})"
            self._way = around
        else:
            text = self._generic(node.this if isinstance(node, exp.Table) else node, block)
        for key in ("sample", "pivots", "version", "ordinality"):
            if node.args.get(key):
                text += f" {key} {self._value(node.args[key], block)}"
        return text


_Writer = Callable[[SkeletonPrinter, exp.Expr, Block | None, str], str]
_WRITERS: dict[type, _Writer] = {
    exp.Identifier: SkeletonPrinter._identifier,
    exp.Not: SkeletonPrinter._not,
    exp.Neg: SkeletonPrinter._negative,
    exp.Between: SkeletonPrinter._between,
    exp.In: SkeletonPrinter._in,
    exp.Case: SkeletonPrinter._case,
    exp.If: SkeletonPrinter._if,
    exp.Count: SkeletonPrinter._count,
    exp.DataType: SkeletonPrinter._data_type,
}


def bare(node: exp.Expr) -> exp.Expr:
    """A node without brackets and alias around it."""
    while isinstance(node, (exp.Paren, exp.Alias)):
        node = node.this
    return node


def is_value(node: exp.Expr) -> bool:
    """A value of the data, with its sign."""
    while isinstance(node, (exp.Neg, exp.Paren)):
        node = node.this
    return isinstance(node, VALUES)


def plain_name(name: str) -> str:
    """A name as skeletons have it: in double quotes only where it is no plain word."""
    if _PLAIN_NAME.match(name):
        return name
    return '"' + name.replace('"', '""') + '"'


def _numbered(ways: Iterable[Sequence[Hashable]]) -> dict[Hashable, int]:
    return {use: number for uses in ways for number, use in enumerate(uses, 1)}


def _order(text: str) -> tuple[bool, str]:
    """Values last, the rest by text."""
    return text.startswith(VALUE), _MARK.sub("", text)


def _place(node: exp.Expr | None, tops: Mapping[int, int]) -> int:
    """The place among joins of the one that a source is in; -1: of none."""
    while node is not None and id(node) not in tops:
        node = node.parent
    return -1 if node is None else tops[id(node)]


def _join_words(join: exp.Expr) -> list[str]:
    """The words that make a join other than an inner one."""
    words = [str(join.args.get(key) or "").lower() for key in ("method", "side", "kind")]
    return [word for word in words if word and word not in ("inner", "outer", "cross", "natural", "straight")]


def _run(tables: list[str], conditions: list[str], is_continued: bool) -> list[str]:
    if not tables:
        return []
    text = " join ".join(sorted(tables, key=_order))
    parts = [f"join {text}" if is_continued else text]
    if conditions:
        parts.append("on " + " and ".join(sorted(dict.fromkeys(conditions), key=_order)))
    return parts
