"""Checks a database of the bank while it is written, and prints a profile.

python -m tests.bank.check_schema enterprise/t2_a_portfolio_management [--engines]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import closing
from pathlib import Path

from glue import bank
from glue.bank.generation import generated
from tests.bank.schema_checks import data_problems, n_dangling, schema_problems


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    db_id, n_problems = folder.name, 0
    with tempfile.TemporaryDirectory() as name:
        manifest = bank.read_manifest(_alone(folder, Path(name)))
        for problem in schema_problems(manifest, db_id):
            n_problems += 1
            print("PROBLEM", problem)
        started = time.monotonic()
        with generated(manifest, db_id) as rows:
            print(f"generated in {time.monotonic() - started:.1f} s")
            for problem in data_problems(manifest, db_id, rows):
                n_problems += 1
                print("PROBLEM", problem)
            _profile(manifest, db_id, rows)
        if not n_problems:
            for write in (bank.write_sqlite, bank.write_duckdb):
                started = time.monotonic()
                path = Path(name) / f"{db_id}.{write.__name__}"
                write(manifest, db_id, path)
                size = path.stat().st_size
                print(f"{write.__name__}: {time.monotonic() - started:.1f} s, {size / 1e6:.1f} MB")
            if "--engines" in sys.argv:
                _load_into_servers(manifest, db_id)
    print("no problems" if not n_problems else f"{n_problems} problems")
    return min(n_problems, 1)


def _alone(folder: Path, place: Path) -> Path:
    """A manifest of this one database."""
    whole = bank.manifest_folder()
    header, *lines = (whole / "databases.csv").read_text("utf-8").splitlines()
    own = [line for line in lines if line.startswith(f"{folder.name},")]
    own = own or [f"{folder.name},T9-X,3,{folder.name.replace('_', '')[:3]},{folder.name},1"]
    (place / "databases.csv").write_text("\n".join([header, *own, ""]), "utf-8")
    shutil.copy(whole / "value_domains.csv", place)
    (place / folder.name).symlink_to(folder)
    return place


def _profile(manifest: bank.Manifest, db_id: str, rows: object) -> None:
    tables = manifest.databases[db_id]
    columns = [(table, column) for table in tables for column in table.columns]
    keys = [(table, key) for table in tables for key in table.foreign_keys]
    n_enforced = sum(key.is_enforced for _, key in keys)
    n_orphaned = sum(bool(n_dangling(rows, *pair)) for pair in keys)  # type: ignore[arg-type]
    print(
        f"{len(tables)} tables, {sum(t.n_rows for t in tables)} rows, {len(columns)} columns, "
        f"{sum(c.is_nullable for _, c in columns) / len(columns):.0%} of them nullable, "
        f"{len(keys)} keys, {n_enforced / max(len(keys), 1):.1%} enforced, {n_orphaned} with orphans, "
        f"{len(manifest.facts[db_id])} facts"
    )
    domains: dict[str, dict[str, str]] = defaultdict(dict)
    for table, column in columns:
        domains[column.name][table.name] = column.value_domain or column.data_type
    ambiguous = {
        name: places for name, places in domains.items() if len(places) > 2 and len(set(places.values())) > 1
    }
    print(f"{len(ambiguous)} names in three tables or more with different domains or types:")
    for name, places in sorted(ambiguous.items(), key=lambda item: -len(item[1]))[:25]:
        print(f"  {name}: {len(places)} tables, {len(set(places.values()))} domains")


def _load_into_servers(manifest: bank.Manifest, db_id: str) -> None:
    import psycopg
    import pymysql

    from glue.bank.ddl import create_statement, name_list, place

    made = bank.generate(manifest, db_id)
    servers = (
        (
            "postgresql",
            lambda: psycopg.connect("host=127.0.0.1 user=postgres dbname=postgres", autocommit=True),
        ),
        ("mariadb", lambda: pymysql.connect(host="127.0.0.1", user="root")),
    )
    for engine, connect in servers:
        schema = f"check_{db_id}"[:60]
        started = time.monotonic()
        with closing(connect()) as connection, closing(connection.cursor()) as cursor:
            drop = f"drop schema if exists {schema}" + (" cascade" if engine == "postgresql" else "")
            cursor.execute(drop)
            cursor.execute(f"create schema {schema}")
            try:
                for each in made:
                    cursor.execute(create_statement(each.table, engine, schema))
                    names = name_list([c.name for c in each.table.columns], engine)
                    marks = ", ".join(["%s"] * len(each.table.columns))
                    where = place(each.table.name, engine, schema)
                    cursor.executemany(f"insert into {where} ({names}) values ({marks})", each.rows)
                connection.commit()
                print(f"{engine}: loaded in {time.monotonic() - started:.1f} s")
            finally:
                cursor.execute(drop)


if __name__ == "__main__":
    raise SystemExit(main())
