"""START WITH … CONNECT BY in DuckDB's SQL: a recursive query that keeps each row's path from its root.

By the SQL Language Reference 19c, Hierarchical Queries: joins come first, then the tree is built, then WHERE
leaves rows out; rows come parent before child, brothers together. A row that is its own ancestor is refused
(ORA-01436), or left out by NOCYCLE.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from glue.dialects import nodes
from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle.aggregates import ordered
from glue.dialects.oracle.kinds import as_number, as_text
from glue.dialects.oracle.sources import From, Sources
from glue.dialects.oracle_errors import OracleError
from glue.dialects.scopes import Field, Scope
from glue.dialects.values import Sql

_AFTER_THE_TREE = frozenset({"LEVEL", "ROWNUM", "CONNECT_BY_ISLEAF", "CONNECT_BY_ISCYCLE"})
_NEVER_TWICE = frozenset({"SYS_GUID"})
"""Functions that give another value each time: a condition on PRIOR of one finds no loop."""


@dataclass(slots=True)
class Tree:
    """The rows of a hierarchy: DuckDB's alias of them, and the columns of its paths, by what is told."""

    rows: str
    path_columns: dict[tuple[str, str], str] = field(default_factory=dict)


class Hierarchies(Sources):
    """A translation as far as it knows hierarchies."""

    tree: Tree | None = None

    def hierarchy(self, node: nodes.Block, query: nodes.Query | None, scope: Scope, tables: From) -> From:
        """The rows of the tree in place of the tables; the columns of the scope become its columns."""
        if node.connect is None:
            return tables
        joins = [one for one in tables.conditions if self._is_join(one, scope)]
        rest = [one for one in tables.conditions if one not in joins]
        where = " and ".join(self.value(one).text for one in joins)
        base, tree, rows = self.alias("b"), self.alias("h"), self.alias("r")
        fields = scope_fields(scope)
        columns = [f"{one.sql().text} as c{place}" for place, one in enumerate(fields, 1)]
        source = f"from {tables.text}" + (f" where {where}" if where else "")
        for place, one in enumerate(fields, 1):
            one.becomes(base, f"c{place}")
        counted = self._counted(node, scope, columns, source)
        if counted is not None:
            for one in fields:
                one.relation = rows
            scope.pseudo["LEVEL"] = Sql(f"{rows}.lvl", "number", 10)
            scope.pseudo["CONNECT_BY_ISLEAF"] = Sql(f"{rows}.is_leaf", "number", 1)
            return From(f"({counted}) as {rows}", rest)
        self.tree = Tree(rows)
        paths = self._paths(node, query, scope)
        siblings = self._sibling_order(query, base)
        text = self._recursion(node, scope, _Names(base, tree, rows), columns, source, siblings, paths)
        for one in fields:
            one.relation = rows
        for word, column in (
            ("LEVEL", "lvl"),
            ("CONNECT_BY_ISLEAF", "is_leaf"),
            ("CONNECT_BY_ISCYCLE", "is_cycle"),
        ):
            scope.pseudo[word] = Sql(f"{rows}.{column}", "number", 10)
        return From(f"({text}) as {rows}", rest)

    def _is_join(self, condition: nodes.Value, scope: Scope) -> bool:
        """Is it a condition between tables, which comes before the tree?"""
        found: set[str] = set()
        for part in nodes.parts_within(condition):
            if isinstance(part, nodes.Prefixed) and part.sign in ("PRIOR", "CONNECT_BY_ROOT"):
                return False
            if isinstance(part, nodes.Name):
                if part.parts[0].text.upper() in _AFTER_THE_TREE and len(part.parts) == 1:
                    return False
                column, owner = self.field(self.parts(part), part)
                if owner is scope:
                    found.add(column.relation)
        return len(found) > 1

    def _counted(self, node: nodes.Block, scope: Scope, columns: list[str], source: str) -> str | None:
        """CONNECT BY LEVEL <= n over DUAL: the numbers from 1 on, without a recursion."""
        connect = node.connect
        is_dual = len(scope.relations) == 1 and source.startswith("from (select 'X' as c1)")
        if not is_dual or node.start is not None or not isinstance(connect, nodes.Comparison):
            return None
        left, sign, right = connect.left, connect.sign, connect.right
        if sign in (">=", ">"):
            left, right = right, left
        if sign not in ("<=", "<", ">=", ">") or connect.quantifier or not is_level(left):
            return None
        if any(is_level(part) or isinstance(part, nodes.Prefixed) for part in nodes.parts_within(right)):
            return None
        scope.pseudo["LEVEL"] = Sql("null", "number", 1)
        count = as_number(self.value(right)).text
        whole = f"floor({count})" if sign in ("<=", ">=") else f"(ceil({count}) - 1)"
        most = f"greatest(coalesce({whole}, 1), 1)::bigint"
        row = f"select {', '.join(columns)}, {most} as n {source}"
        levels = f"select *, unnest(range(1, n + 1)) as lvl from ({row})"
        return f"select *, (lvl = n)::integer as is_leaf from ({levels})"

    def _paths(self, node: nodes.Block, query: nodes.Query | None, scope: Scope) -> list[tuple[str, str]]:
        """What SYS_CONNECT_BY_PATH tells, each with its separator: of the rows before the tree."""
        whole: list[nodes.Node] = [*node.items, *(query.order if query else [])]
        whole += [part for part in (node.where, node.having) if part is not None]
        found = [
            self._path_parts(part)
            for one in whole
            for part in nodes.parts_within(one)
            if isinstance(part, nodes.Call) and part.name == "SYS_CONNECT_BY_PATH"
        ]
        return list(dict.fromkeys(found))

    def _path_parts(self, node: nodes.Call) -> tuple[str, str]:
        if len(node.arguments) != 2:
            raise OracleError("ORA-00909", "SYS_CONNECT_BY_PATH takes two arguments")
        separator = as_text(self.value(node.arguments[1]))
        if not isinstance(separator.constant, str):
            raise OracleError("ORA-30003", "the separator of SYS_CONNECT_BY_PATH is no literal")
        return as_text(self.value(node.arguments[0])).text, separator.text

    def path(self, node: nodes.Call) -> Sql:
        """SYS_CONNECT_BY_PATH above the tree. What it tells was found out below it, in the same words."""
        tree = self.tree
        if tree is None or tree.rows == "":
            raise OracleError("ORA-30002", "SYS_CONNECT_BY_PATH function not allowed here")
        text, separator = self._path_parts(node)
        for (told, by), column in tree.path_columns.items():
            if told.replace(f"{self._base}.", f"{tree.rows}.") == text and by == separator:
                return Sql(f"{tree.rows}.{column}", "text")
        raise UnsupportedError("SYS_CONNECT_BY_PATH here")

    _base: str = ""

    def _sibling_order(self, query: nodes.Query | None, base: str) -> str:
        if query is None or not query.is_siblings:
            return "()"
        terms = []
        for term in query.order:
            if any(is_level(part) for part in nodes.parts_within(term.value)):
                raise UnsupportedError("ORDER SIBLINGS BY LEVEL")
            terms.append(ordered(self._sibling_value(term.value), term))
        return f"(order by {', '.join(terms)})"

    def _sibling_value(self, node: nodes.Value) -> str:
        item = self.item_named(node)
        return self.value(node if item is None else item).text

    def item_named(self, node: nodes.Value) -> nodes.Value | None:
        """What stands in the select list under a name, or in a place, that ORDER BY mentions."""
        raise NotImplementedError

    def _recursion(
        self,
        node: nodes.Block,
        scope: Scope,
        names: _Names,
        columns: list[str],
        source: str,
        siblings: str,
        paths: list[tuple[str, str]],
    ) -> str:
        tree = self.tree
        connect = node.connect
        if tree is None or connect is None:
            raise AssertionError("no hierarchy")
        self._base = names.base
        tree.path_columns = {told: f"path{place}" for place, told in enumerate(paths, 1)}
        scope.pseudo["LEVEL"] = Sql("1", "number", 10)
        start = "" if node.start is None else f" where {self.value(node.start).text}"
        scope.pseudo["LEVEL"] = Sql(f"({names.tree}.lvl + 1)", "number", 10)
        joined = self._connected(connect, names)
        checks_loops = _has_prior(connect) and not _never_twice(connect)
        is_loop = f"list_contains({names.tree}.ids, {names.base}.rid)"
        where = f" where not {is_loop}" if node.is_nocycle else ""
        if checks_loops and not node.is_nocycle:
            refused = "error('ORA-01436: CONNECT BY loop in user data')"
            where = f" where case when {is_loop} then {refused} else true end"
        first_paths = "".join(
            f", {_path('', told, by)} as {column}" for (told, by), column in tree.path_columns.items()
        )
        next_paths = "".join(
            f", {_path(f'{names.tree}.{column}, ', told, by)}"
            for (told, by), column in tree.path_columns.items()
        )
        base = (
            f"select *, row_number() over {siblings} as place from"
            f" (select {', '.join(columns)}, row_number() over () as rid {source}) as {names.base}"
        )
        b, h = names.base, names.tree
        return (
            f"with recursive {b} as materialized ({base}), {h} as ("
            f"select {b}.*, 1 as lvl, [{b}.rid] as ids, [{b}.place] as places, null::bigint[] as parent_ids"
            f"{first_paths} from {b}{start}"
            f" union all select {b}.*, {h}.lvl + 1, list_append({h}.ids, {b}.rid),"
            f" list_append({h}.places, {b}.place), {h}.ids{next_paths}"
            f" from {h} join {b} on {joined}{where}) "
            f"{self._rows_of(node, names, connect)}"
        )

    def _connected(self, connect: nodes.Value, names: _Names) -> str:
        with self.in_other_rows({}), self._prior_in({names.base: names.tree}):
            return self.value(connect).text

    _prior: dict[str, str] | None = None

    @contextmanager
    def _prior_in(self, relations: dict[str, str]) -> Iterator[None]:
        before, self._prior = self._prior, relations
        try:
            yield
        finally:
            self._prior = before

    def _rows_of(self, node: nodes.Block, names: _Names, connect: nodes.Value) -> str:
        """The rows of the tree with those of their parents and roots, in the order of the tree."""
        h, b = names.tree, names.base
        used = self.words
        parts = [f"{h}.*"]
        joins = ""
        if "PRIOR" in used:
            parts.append("p as parent")
            joins += f" left join {b} as p on p.rid = {h}.ids[-2]"
        if "CONNECT_BY_ROOT" in used:
            parts.append("t as root")
            joins += f" join {b} as t on t.rid = {h}.ids[1]"
        if "CONNECT_BY_ISLEAF" in used:
            parts.append(
                f"(not exists (select 1 from {h} as k where k.parent_ids = {h}.ids))::integer as is_leaf"
            )
        if "CONNECT_BY_ISCYCLE" in used:
            if not node.is_nocycle:
                raise OracleError("ORA-30930", "NOCYCLE is required with CONNECT_BY_ISCYCLE")
            with self.in_other_rows({b: "child"}):
                joined = self._connected_to("child", connect, names)
            parts.append(
                f"exists (select 1 from {b} as child where {joined}"
                f" and list_contains({h}.ids, child.rid))::integer as is_cycle"
            )
        return f"select {', '.join(parts)} from {h}{joins} order by {h}.places"

    def _connected_to(self, child: str, connect: nodes.Value, names: _Names) -> str:
        with self.in_other_rows({names.base: child}), self._prior_in({names.base: names.tree}):
            return self.value(connect).text

    def prefixed(self, node: nodes.Prefixed) -> Sql:
        """PRIOR and CONNECT_BY_ROOT: a value of the parent's row, of the root's."""
        if node.sign not in ("PRIOR", "CONNECT_BY_ROOT"):
            return super().prefixed(node)
        if self._prior is not None and node.sign == "PRIOR":
            with self.in_other_rows(self._prior):
                return self.value(node.operand)
        if self.tree is None or self._prior is not None:
            code = "ORA-00976" if node.sign == "PRIOR" else "ORA-01788"
            raise OracleError(code, f"{node.sign} is not allowed here")
        other = "parent" if node.sign == "PRIOR" else "root"
        with self.in_other_rows({self.tree.rows: f"{self.tree.rows}.{other}"}):
            return self.value(node.operand)


@dataclass(frozen=True, slots=True)
class _Names:
    """DuckDB's names of the rows below the tree, of the tree, and of the rows that come of it."""

    base: str
    tree: str
    rows: str


def scope_fields(scope: Scope) -> list[Field]:
    """Each column of the block once, those that a join has made one of two among them."""
    fields = [column for relation in scope.relations for column in relation.fields]
    return [*fields, *(group[0] for group in scope.merged.values())]


def is_level(node: nodes.Node) -> bool:
    """Is it the word LEVEL?"""
    return (
        isinstance(node, nodes.Name)
        and len(node.parts) == 1
        and not node.parts[0].is_quoted
        and node.parts[0].text.upper() == "LEVEL"
    )


def _has_prior(connect: nodes.Value) -> bool:
    return any(
        isinstance(part, nodes.Prefixed) and part.sign == "PRIOR" for part in nodes.parts_within(connect)
    )


def _never_twice(connect: nodes.Value) -> bool:
    return any(
        isinstance(part, nodes.Call) and part.name in _NEVER_TWICE for part in nodes.parts_within(connect)
    )


def _path(before: str, told: str, separator: str) -> str:
    checked = (
        f"case when contains({told}, {separator})"
        f" then error('ORA-30004: the separator stands in a value of SYS_CONNECT_BY_PATH') else {told} end"
    )
    return f"concat({before}{separator}, {checked})"
