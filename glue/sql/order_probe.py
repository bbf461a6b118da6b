"""A statement that tells in which order, and through which ties, another one puts its rows.

For a statement with an outermost ORDER BY or LIMIT it returns all its columns, then its order keys, then
`__rank`: RANK() by those keys, 1 for every row where nothing orders. The outermost LIMIT and OFFSET are gone,
and rows with `__rank` above their sum with them: what remains is every row that the statement may return,
tied ones included.

    SELECT name FROM t ORDER BY pts DESC LIMIT 1
    SELECT * FROM (SELECT q.*, RANK() OVER (ORDER BY q.__key_1 DESC) AS __rank
                   FROM (SELECT name, pts AS __key_1 FROM t) AS q) AS r WHERE __rank <= 1 ORDER BY __rank

The text is cut and joined at its tokens, never written anew, so that an engine reads what its author wrote.
Whether the probe is right is for its user to check: its first columns must hold the statement's own rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from glue.sql.fixed_values import literal_rows
from glue.sql.functions import is_random
from glue.sql.normal_form import Printer
from glue.sql.parsing import ParsedText
from glue.sql.scopes import Block, Query, Statement, column_name, fold
from glue.sql.terms import bare_term, collations, meant_by_term, ordinal

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_WANTS_DISTINCT_NAMES = frozenset({"mysql", "oracle", "tsql"})
"""Dialects that refuse a query in FROM with two columns of one name; in T-SQL also one without a name."""
_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_TAIL = frozenset({TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH, TokenType.FOR})
_AFTER_ITEMS = frozenset(
    {
        TokenType.FROM,
        TokenType.WHERE,
        TokenType.GROUP_BY,
        TokenType.HAVING,
        TokenType.QUALIFY,
        TokenType.WINDOW,
        TokenType.INTO,
    }
)


class _NoProbe(Exception):
    """Why there is no probe: a code."""


@dataclass(frozen=True)
class _Key:
    """An order key: its expression as text, and how the window orders by it (` COLLATE NOCASE DESC`)."""

    text: str
    direction: str


@dataclass(frozen=True)
class _Words:
    """How a dialect writes what the probe adds."""

    prefix: str = "__"
    alias: str = "AS "
    rows: str = "__rows"


def order_probe(parsed: ParsedText, statement: Statement, printer: Printer) -> tuple[str | None, str | None]:
    """The probe of a statement, or why there is none; neither where none is needed.

    Problems: several_statements, distinct (a key of SELECT DISTINCT that is not selected), distinct_on,
    set_operation (a key that is no output column), bare_star (Oracle takes nothing beside it),
    limit_not_literal, random, brackets, unreadable.
    """
    root = statement.root
    if root is None or all(root.modifier(name) is None for name in ("order", "limit", "offset")):
        return None, None
    if len(parsed.statements) != 1:
        return None, "several_statements"
    try:
        return _Probe(parsed, root, printer).write(), None
    except _NoProbe as problem:
        return None, str(problem)


class _Probe:
    def __init__(self, parsed: ParsedText, root: Query, printer: Printer) -> None:
        self.sql = parsed.sql
        self.root = root
        self.printer = printer
        self.dialect = parsed.dialect
        self.words = _Words("", "", "probe_rows") if parsed.dialect == "oracle" else _Words()
        self.tokens = list(parsed.tokens)
        while self.tokens and self.tokens[-1].token_type is TokenType.SEMICOLON:
            self.tokens.pop()
        self.depths = _depths(self.tokens)

    def write(self) -> str:
        if self.root.wrappers:
            raise _NoProbe("brackets")
        rows = self._rows_kept()
        order = self.root.modifier("order")
        terms = list(order.expressions) if order is not None else []
        if any(is_random(node) for term in terms for node in term.walk()):
            raise _NoProbe("random")
        body_end, key_spans = self._spans(bool(terms))
        if len(key_spans) != len(terms):
            raise _NoProbe("unreadable")
        if not terms:
            return self._unordered(body_end)
        if self.root.block is not None:
            source, keys = self._select_source(self.root.block, terms, key_spans, body_end)
            if self._must_name_columns():
                return self._named(source, keys, rows)
        else:
            source, keys = self._set_source(terms, key_spans, body_end)
        return self._ranked(source, keys, rows)

    def _rows_kept(self) -> int | None:
        """The highest rank that LIMIT and OFFSET let through; None without a LIMIT."""
        limit, offset = self.root.modifier("limit"), self.root.modifier("offset")
        rows, skipped = literal_rows(limit), literal_rows(offset)
        if (limit is not None and rows is None) or (offset is not None and skipped is None):
            raise _NoProbe("limit_not_literal")
        if rows is None or rows < 0:
            return None
        return rows + max(skipped or 0, 0)

    # --- Where things stand in the text ---------------------------------------------------------------------

    def _spans(self, is_ordered: bool) -> tuple[int, list[tuple[int, int]]]:
        """The token after the statement's body; for each order key its first token and the one after it."""
        start = self._select_token()
        outer = [place for place in range(start, len(self.tokens)) if self.depths[place] == 0]
        tail = len(self.tokens)
        if is_ordered:
            orders = [place for place in outer if self.tokens[place].token_type is TokenType.ORDER_BY]
            if not orders:
                raise _NoProbe("unreadable")
            begin = orders[-1] + 1
            tail = min((place for place in outer if place >= begin and self._is_tail(place)), default=tail)
            return orders[-1], self._split(begin, tail)
        tail = min((place for place in outer if self._is_tail(place)), default=tail)
        return tail, []

    def _is_tail(self, place: int) -> bool:
        return self.tokens[place].token_type in _TAIL

    def _select_token(self) -> int:
        for place, token in enumerate(self.tokens):
            if self.depths[place] == 0 and token.token_type is TokenType.SELECT:
                return place
        raise _NoProbe("unreadable")

    def _split(self, begin: int, end: int) -> list[tuple[int, int]]:
        """The spans between the outer commas of a list."""
        spans = []
        for place in range(begin, end):
            if self.depths[place] == 0 and self.tokens[place].token_type is TokenType.COMMA:
                spans.append((begin, place))
                begin = place + 1
        spans.append((begin, end))
        return [span for span in spans if span[0] < span[1]]

    def _text(self, begin: int, end: int) -> str:
        """The text from one token to the one before `end`."""
        if begin >= end:
            return ""
        return self.sql[self.tokens[begin].start : self.tokens[end - 1].end + 1]

    def _word(self, place: int) -> str:
        return self.tokens[place].text.upper() if 0 <= place < len(self.tokens) else ""

    # --- Keys -----------------------------------------------------------------------------------------------

    def _directed(self, span: tuple[int, int]) -> tuple[tuple[int, int], str]:
        """The span of a key's expression, and the text of COLLATE, ASC or DESC and NULLS after it."""
        begin, end = span
        stop = end
        if self._word(stop - 2) == "NULLS" and self._word(stop - 1) in ("FIRST", "LAST") and stop - 2 > begin:
            stop -= 2
        if self._word(stop - 1) in ("ASC", "DESC") and stop - 1 > begin:
            stop -= 1
        if self._word(stop - 2) == "COLLATE" and stop - 2 > begin:
            stop -= 2
        text = self._text(stop, end)
        return (begin, stop), f" {text}" if text else ""

    def _select_source(
        self, block: Block, terms: list[exp.Expr], spans: list[tuple[int, int]], body_end: int
    ) -> tuple[str, list[_Key]]:
        """The SELECT with its keys as more columns, and how they are named there."""
        distinct = block.select.args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            raise _NoProbe("distinct_on")
        if self.dialect == "oracle" and any(isinstance(item, exp.Star) for item in block.select.expressions):
            raise _NoProbe("bare_star")
        items = self._items(block)
        items_end = items[-1][1]
        columns = []
        keys = []
        for number, (term, span) in enumerate(zip(terms, spans, strict=True), start=1):
            (begin, stop), direction = self._directed(span)
            inner = _without_collation(term)
            if distinct is not None and not self._is_selected(inner, block):
                raise _NoProbe("distinct")
            name = f"{self.words.prefix}key_{number}"
            columns.append(f"{self._key_text(inner, block, items, begin, stop)} AS {name}")
            keys.append(_Key(f"q.{name}", direction))
        head = self._text(0, self._select_token()) + " " if self._select_token() else ""
        before, after = self._without_top(items[0][0])
        selected = self._text(after, items_end)
        rest = self._text(items_end, body_end)
        source = f"{head}{before} {selected},\n {', '.join(columns)}\n {rest}"
        return source, keys

    def _without_top(self, first_item: int) -> tuple[str, int]:
        """SELECT with DISTINCT or ALL, without TOP; and the first token of the first item."""
        between = (self._word(place) for place in range(self._select_token() + 1, first_item))
        return " ".join(["SELECT", *(word for word in between if word in ("DISTINCT", "ALL"))]), first_item

    def _items(self, block: Block) -> list[tuple[int, int]]:
        """The spans of the columns of the SELECT, aliases included."""
        begin = self._select_token() + 1
        while self._word(begin) in ("DISTINCT", "ALL"):
            begin += 1
        if (
            self._word(begin) == "TOP"
            and block.select.args.get("limit") is not None
            and self.dialect == "tsql"
        ):
            begin = self._after_top(begin + 1)
        end = len(self.tokens)
        for place in range(begin, len(self.tokens)):
            kind = self.tokens[place].token_type
            if self.depths[place] or (
                kind not in _AFTER_ITEMS and kind is not TokenType.ORDER_BY and kind not in _TAIL
            ):
                continue
            if kind is TokenType.FROM and self._word(place - 1) == "DISTINCT" and place - 1 > begin:
                continue  # IS DISTINCT FROM
            end = place
            break
        spans = self._split(begin, end)
        if len(spans) != len(block.select.expressions) or not spans:
            raise _NoProbe("unreadable")
        return spans

    def _after_top(self, place: int) -> int:
        depth = self.depths[place]  # 1 for `TOP (5)`: a bracket counts as inside
        place += 1
        while depth and place < len(self.tokens) and self.depths[place] >= depth:
            place += 1
        while self._word(place) in ("PERCENT", "WITH", "TIES"):
            place += 1
        return place

    def _is_selected(self, term: exp.Expr, block: Block) -> bool:
        if meant_by_term(term, block) is not None:
            return True
        text = self.printer.text(term, block, "order")
        inner = (item.this if isinstance(item, exp.Alias) else item for item in block.select.expressions)
        return any(self.printer.text(item, block) == text for item in inner)

    def _key_text(
        self, term: exp.Expr, block: Block, items: list[tuple[int, int]], begin: int, stop: int
    ) -> str:
        """The expression of a key as SELECT may write it: an alias gives way to what it names."""
        place = ordinal(term, self.dialect)
        has_meaning = meant_by_term(term, block) is not None
        if collations(term) and (place is not None or has_meaning):
            raise _NoProbe("unreadable")  # a collation in brackets, or a second one
        if place is not None:
            if not has_meaning:
                raise _NoProbe("unreadable")  # the number of a column behind a star
            return f"({self._item_text(block, items, place - 1)})"
        if has_meaning:
            named = self._alias_place(block, column_name(bare_term(term), self.dialect))
            return f"({self._item_text(block, items, named)})"
        names = {}
        for column in term.find_all(exp.Column):
            if block.alias_meant(column, False) is not None:
                name = column_name(column, self.dialect)
                names[name] = self._item_text(block, items, self._alias_place(block, name))
        return self._substituted(begin, stop, names) if names else self._text(begin, stop)

    def _substituted(self, begin: int, stop: int, names: dict[str, str]) -> str:
        """The text of some tokens with the unqualified names among `names` replaced."""
        parts = []
        for place in range(begin, stop):
            token = self.tokens[place]
            text = self._text(place, place + 1)
            is_name = self._word(place - 1) != "." and self._word(place + 1) not in (".", "(")
            is_quoted = token.token_type is TokenType.IDENTIFIER
            folded = fold(exp.to_identifier(token.text, quoted=is_quoted), self.dialect) if is_name else ""
            is_value = token.token_type in (TokenType.STRING, TokenType.NUMBER)
            parts.append(f"({names[folded]})" if folded in names and not is_value else text)
        return " ".join(parts)

    def _alias_place(self, block: Block, name: str) -> int:
        for place, item in enumerate(block.select.expressions):
            if isinstance(item, exp.Alias) and fold(item.args.get("alias"), self.dialect) == name:
                return place
        raise _NoProbe("unreadable")

    def _item_text(self, block: Block, items: list[tuple[int, int]], place: int) -> str:
        """The text of a column of SELECT without its alias."""
        item = block.select.expressions[place]
        begin, end = items[place]
        if isinstance(item, exp.Alias):
            if self.tokens[end - 1].text.lower() != str(item.alias).lower():
                raise _NoProbe("unreadable")
            end -= 1
            if self._word(end - 1) == "AS":
                end -= 1
        if begin >= end:
            raise _NoProbe("unreadable")
        return self._text(begin, end)

    def _set_source(
        self, terms: list[exp.Expr], spans: list[tuple[int, int]], body_end: int
    ) -> tuple[str, list[_Key]]:
        """The set operation as a CTE with named columns, and the ones its ORDER BY means."""
        outputs = self.root.outputs()
        if outputs.is_open:
            raise _NoProbe("set_operation")
        names = [f"{self.words.prefix}column_{number}" for number in range(1, len(outputs.columns) + 1)]
        columns = []
        keys = []
        for number, (term, span) in enumerate(zip(terms, spans, strict=True), start=1):
            _, direction = self._directed(span)
            place = self._output_place(_without_collation(term))
            name = f"{self.words.prefix}key_{number}"
            columns.append(f"s.{names[place]} AS {name}")
            keys.append(_Key(f"q.{name}", direction))
        body = self._text(0, body_end)
        whole = self.words.rows
        source = (
            f"WITH {whole} ({', '.join(names)}) AS (\n{body}\n) "
            f"SELECT s.*, {', '.join(columns)} FROM {whole} {self.words.alias}s"
        )
        return source, keys

    def _output_place(self, term: exp.Expr) -> int:
        outputs = self.root.outputs()
        if collations(term):
            raise _NoProbe("unreadable")
        term = bare_term(term)
        place = ordinal(term, self.dialect)
        if place is not None and 0 < place <= len(outputs.columns):
            return place - 1
        if isinstance(term, exp.Column) and term.args.get("table") is None:
            name = column_name(term, self.dialect)
            for one in (outputs, *(branch.outputs() for branch in self.root.branches)):
                found = one.position(name)
                if found is not None:
                    return found
        for branch in self.root.branches:
            if branch.block is not None:
                text = self.printer.text(term, branch.block)
                for found, column in enumerate(branch.block.outputs().columns):
                    if any(
                        self.printer.text(expression, block) == text for expression, block in column.givers
                    ):
                        return found
        raise _NoProbe("set_operation")

    # --- The statement --------------------------------------------------------------------------------------

    def _must_name_columns(self) -> bool:
        """Whether the columns cannot stand in FROM under the names they have. Behind a star nobody knows."""
        outputs = self.root.outputs()
        if self.dialect not in _WANTS_DISTINCT_NAMES or outputs.is_open:
            return False
        names = [column.name and column.name.lower() for column in outputs.columns]
        is_fussy = self.dialect == "tsql" and (
            None in names or self._select_token() > 0
        )  # no WITH in FROM either
        return is_fussy or len(set(names)) < len(names)

    def _named(self, source: str, keys: Sequence[_Key], rows: int | None) -> str:
        """As `_ranked`, from a CTE that names the columns anew."""
        names = [
            f"{self.words.prefix}column_{number}" for number in range(1, len(self.root.outputs().columns) + 1)
        ]
        names += [key.text.removeprefix("q.") for key in keys]
        whole = self.words.rows
        head = self._text(0, self._select_token())
        if head and self.dialect == "tsql":  # which has no WITH but at the front
            first, source = f"{head}, ", source.removeprefix(head)
        else:
            first = "WITH "
        return f"{first}{whole} ({', '.join(names)}) AS (\n{source}\n) {self._ranked(whole, keys, rows)}"

    def _unordered(self, body_end: int) -> str:
        if self.dialect == "tsql" and self._word(self._select_token() + 1) == "TOP":
            raise _NoProbe("unreadable")
        rank = f"{self.words.prefix}rank"
        return f"SELECT q.*, 1 AS {rank} FROM (\n{self._text(0, body_end)}\n) {self.words.alias}q"

    def _ranked(self, source: str, keys: Iterable[_Key], rows: int | None) -> str:
        rank = f"{self.words.prefix}rank"
        window = ", ".join(f"{key.text}{key.direction}" for key in keys)
        kept = f" WHERE {rank} <= {rows}" if rows is not None else ""
        alias = self.words.alias
        whole = source if source == self.words.rows else f"(\n{source}\n)"
        return (
            f"SELECT * FROM (SELECT q.*, RANK() OVER (ORDER BY {window}) AS {rank} FROM {whole} "
            f"{alias}q) {alias}r{kept} ORDER BY {rank}"
        )


def _depths(tokens: list[Token]) -> list[int]:
    """How many brackets are open around each token; a bracket itself counts as inside."""
    depths = []
    depth = 0
    for token in tokens:
        if token.token_type in _OPENING:
            depth += 1
        depths.append(depth)
        if token.token_type in _CLOSING:
            depth -= 1
    return depths


def _without_collation(term: exp.Expr) -> exp.Expr:
    """The expression of a key, without the COLLATE that stands last."""
    inner = term.this if isinstance(term, exp.Ordered) else term
    return inner.this if isinstance(inner, exp.Collate) else inner
