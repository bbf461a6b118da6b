"""ALTER TABLE and COMMENT ON, as far as they say what a table is like."""

from __future__ import annotations

from glue.dialects.definitions import Reader, TableDefinition
from glue.dialects.errors import UnsupportedError
from glue.dialects.inserts import literal
from glue.dialects.stored_tables import Tables


def alter(tables: Tables, reader: Reader) -> str | None:
    """Obey ALTER TABLE. What is skipped is named."""
    words = reader.words
    words.want("ALTER")
    words.want("TABLE")
    definition = tables.definition(reader.table_name())
    if words.take("WITH", "CHECK") or words.take("WITH", "NOCHECK"):
        pass
    if words.take("ADD"):
        _add(tables, definition, reader)
        return None
    for disables, word in ((True, "DISABLE"), (False, "ENABLE"), (True, "NOCHECK"), (False, "CHECK")):
        if words.take(word, "CONSTRAINT"):
            return _switch(tables, definition, reader.name(), disables)
    if words.comes("MODIFY"):
        reader.skip_to("GENERATED")
        if words.comes("GENERATED"):
            return "ALTER TABLE … MODIFY … GENERATED"
        raise UnsupportedError("ALTER TABLE … MODIFY")
    raise UnsupportedError(f"ALTER TABLE … {words.token.upper}")


def _add(tables: Tables, definition: TableDefinition, reader: Reader) -> None:
    """ADD a column or constraint, or several: in brackets in Oracle, with commas alone in SQL Server."""
    words = reader.words
    is_in_brackets = words.take("(")
    words.take("COLUMN")
    added = TableDefinition(definition.name)
    _add_item(definition, added, reader)
    while words.take(","):
        _add_item(definition, added, reader)
    if is_in_brackets:
        words.want(")", words.UNCLOSED)
    if added.columns:
        if not tables.is_waiting(definition.name):
            raise UnsupportedError("a column added to a table that has rows")
        definition.columns += added.columns
    for constraint in added.constraints:
        tables.constrain(definition.name, constraint)


def _add_item(definition: TableDefinition, added: TableDefinition, reader: Reader) -> None:
    words = reader.words
    if not (words.comes("DEFAULT") or (words.comes("CONSTRAINT") and words.comes("DEFAULT", ahead=2))):
        reader.add_item(added)
        return
    reader.skip_to("DEFAULT")
    words.want("DEFAULT")
    place = words.place
    reader.skip_to("FOR")
    default = reader.text_since(place)
    words.want("FOR")
    name = reader.name()
    column = definition.column(name)
    if column is None:
        raise words.ERROR("1911", f"{definition.name} has no column {name}")
    column.default = default


def _switch(tables: Tables, definition: TableDefinition, name: str, disables: bool) -> str | None:
    for constraint in definition.constraints:
        if constraint.name == name and tables.is_waiting(definition.name):
            constraint.is_disabled = disables
            return None
    return f"ALTER TABLE … {'DISABLE' if disables else 'ENABLE'} CONSTRAINT"


def comment(tables: Tables, reader: Reader) -> str | None:
    """Obey COMMENT ON TABLE or COLUMN; one on anything else is skipped and named."""
    words = reader.words
    words.want("COMMENT")
    words.want("ON")
    is_column = words.take("COLUMN")
    if not is_column and not words.take("TABLE"):
        return f"COMMENT ON {words.token.upper}"
    parts = [reader.name()]
    while words.take("."):
        parts.append(reader.name())
    words.want("IS")
    _, text = literal([words.token], True, {})
    table, column = (parts[-2], parts[-1]) if is_column and len(parts) > 1 else (parts[-1], "")
    if not tables.is_table(table):
        return "COMMENT ON VIEW"
    tables.describe(table, column, text or "")
    return None
