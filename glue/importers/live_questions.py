"""The databases that one's own questions ask, where they are on one live connection."""

from __future__ import annotations

from dataclasses import dataclass

from glue.connections import Connection, address_of, stored_connection
from glue.errors import GlueError, nearest
from glue.home import Home
from glue.importers.common import ImportBatch, Row, landed_rows, listed, newest_imports
from glue.importers.live import Selection, add_live_database, known_schemas, live_facts
from glue.live import LiveDatabase, opened

_COLUMNS = ["import_id", "benchmark", "db_id", "engine", "snapshot_id", "connection", "search_path"]


@dataclass(frozen=True)
class LiveDatabases:
    """Databases on a connection. What `glue import database` has selected stands, unless told otherwise."""

    connection: Connection
    selection: Selection
    landed: tuple[Row, ...]
    """The connection's databases that have been imported."""

    @classmethod
    def of(cls, home: Home, name: str, schemas: tuple[str, ...], label: str | None) -> LiveDatabases:
        """Those of a stored connection. GlueError, with the nearest name, where there is none."""
        connection = stored_connection(home, name)
        imports = {row["import_id"] for row in newest_imports(home).values() if row["kind"] == "database"}
        rows = [
            row
            for row in landed_rows(home, "databases", _COLUMNS)
            if row["connection"] == name and row["import_id"] in imports
        ]
        return cls(connection, Selection(schemas, label=label), tuple(rows))

    def add(self, batch: ImportBatch, db_ids: list[str]) -> None:
        """Land each database that questions ask. GlueError where one is not on the connection."""
        is_told = bool(self.selection.schemas or self.selection.label)
        batch.options |= {
            "connection": self.connection.name,
            "schemas": list(self.selection.schemas),
            "snapshot": self.selection.label,
        }
        known = (
            {}
            if is_told
            else {row["db_id"]: row for row in self.landed if row["benchmark"] == batch.benchmark}
        )
        unread = [db_id for db_id in db_ids if db_id not in known]
        for db_id in db_ids:
            if db_id in known:
                self._add_landed(batch, known[db_id])
        if unread:
            with opened(self.connection, address_of(self.connection)) as database:
                self._add_read(batch, database, unread, is_some_known=bool(known))

    def _add_landed(self, batch: ImportBatch, row: Row) -> None:
        """Land a database under the snapshot, and without the tables, that its own import has landed."""
        batch.files[f"connection {row['connection']}, database {row['db_id']}"] = row["import_id"]
        batch.add("databases", **{**row, "source": "jsonl"})

    def _add_read(
        self, batch: ImportBatch, database: LiveDatabase, db_ids: list[str], is_some_known: bool
    ) -> None:
        """Land what the server says of databases; of several, those that are no schemas by name alone."""
        schemas = {schema.lower(): schema for schema in known_schemas(database)}
        is_one_place = bool(self.selection.schemas) or len(db_ids) == 1
        missing = [db_id for db_id in db_ids if db_id.lower() not in schemas and not is_one_place]
        if missing == db_ids and not is_some_known:
            raise GlueError(
                f"--connection: questions ask several databases, and {listed(missing)} "
                f"are no schemas of {self.connection.name!r}",
                _where_it_may_be(missing[0], list(schemas.values())),
            )
        for db_id in db_ids:
            selection = self.selection
            if not selection.schemas and db_id.lower() in schemas:
                selection = Selection((schemas[db_id.lower()],), label=selection.label)
            if db_id not in missing:
                add_live_database(batch, db_id, live_facts(database, self.connection, selection))
                continue
            batch.add("databases", benchmark=batch.benchmark, db_id=db_id, source="jsonl")
            batch.refuse(
                f"connection {self.connection.name}",
                f"database {db_id}",
                "no_database",
                f"{db_id} is no schema of it: its questions cannot be scored",
                _where_it_may_be(db_id, list(schemas.values())),
                is_landed=True,
            )


def _where_it_may_be(db_id: str, schemas: list[str]) -> str:
    close = nearest(db_id, schemas)
    told = "--schemas says where tables are; so does glue import database --db-id for each database"
    return f"did you mean {close!r}? {told}" if close else told
