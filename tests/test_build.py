"""Running dbt in this process, on a project of four models; the real project is built by the other suites."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from glue import build
from glue.build import project_directory, refresh
from glue.errors import GlueError
from glue.handoff import pending_requests, read_handoff
from glue.home import Home
from glue.landing import Writer

PROJECT = {
    "dbt_project.yml": """
name: little
version: "1.0"
profile: little
models: {little: {+materialized: table}}
vars: {prepared: auto}
""",
    "profiles.yml": """
little:
  target: local
  outputs:
    local:
      type: duckdb
      path: "{{ env_var('EVALHOUSE_HOME') }}/warehouse.duckdb"
      external_root: "{{ env_var('EVALHOUSE_HOME') }}/exports"
      keep_open: false
      plugins: [{module: glue.plugin}]
""",
    "models/runs.sql": "select run_id, '{{ var('prepared') }}' as prepared"
    " from read_parquet('{{ env_var('EVALHOUSE_HOME') }}/landing/runs/*.parquet')",
    "models/pending_requests.sql": "{{ config(materialized='external') }}"
    " select run_id as request_id, prepared from {{ ref('runs') }} where run_id <> 'done'",
    "models/build_state.sql": "select '{{ run_started_at }}'::timestamptz as build_started_at",
    "models/texts.sql": "select (sql_analysis('select 1', 'sqlite')).parse_outcome as outcome",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("little")
    for name, text in PROJECT.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


def land_run(home: Home, run_id: str) -> None:
    with Writer(home, loop="generate") as writer:
        writer.append("runs", [{"run_id": run_id, "started_at": datetime.now(UTC)}])


def test_a_refresh_builds_only_what_the_pending_table_needs(home: Home, project: Path) -> None:
    before = Path.cwd(), os.environ.get("EVALHOUSE_HOME")
    report = refresh(home, "pending_requests", project=project)
    assert (report.target, report.is_skipped, report.n_built) == ("pending_requests", False, 2)
    assert pending_requests(home).num_rows == 0  # dbt-duckdb's all-NULL row is no request
    assert (Path.cwd(), os.environ.get("EVALHOUSE_HOME")) == before
    duckdb.connect(str(home.warehouse)).close()  # dbt let go of the file


def test_a_refresh_is_skipped_until_something_changes(home: Home, project: Path) -> None:
    built: list[str] = []
    assert not refresh(home, "pending_requests", project=project, on_node=built.append).is_skipped
    assert built == ["runs", "pending_requests"]
    assert refresh(home, "pending_requests", project=project).is_skipped
    land_run(home, "one")
    assert not refresh(home, "pending_requests", project=project).is_skipped
    assert pending_requests(home)["request_id"].to_pylist() == ["one"]
    assert refresh(home, "pending_requests", project=project).is_skipped
    assert not refresh(home, "pending_requests", {"prepared": "all"}, project=project).is_skipped
    assert read_handoff(home, "pending_requests")["prepared"].to_pylist() == ["all"]
    (home.exports / "pending_requests.parquet").unlink()
    assert not refresh(home, "pending_requests", {"prepared": "all"}, project=project).is_skipped


def test_only_what_a_landing_table_has_changed_is_built_again(home: Home, project: Path) -> None:
    """Models over declared sources: each depends on the landing tables among its ancestors and no other."""
    texts = {
        "sources.yml": SOURCES,
        "requests.sql": "select count(*) as n from {{ source('landing', 'runs') }}",
        "answers.sql": "select count(*) as n from {{ source('landing', 'responses') }}",
        "mixed.sql": "select n from {{ ref('requests') }} union all select n from {{ ref('answers') }}",
    }
    for name, text in texts.items():
        (project / "models" / name).write_text(text)
    built: list[str] = []

    def refreshed(**options: bool) -> set[str]:
        built.clear()
        refresh(home, project=project, on_node=built.append, **options)
        return set(built)

    try:
        assert {"requests", "answers", "mixed"} <= refreshed()
        with Writer(home, loop="generate") as writer:
            writer.append("responses", [{"request_id": "r", "attempt_id": "a"}])
        found = refreshed()
        assert {"answers", "mixed", "build_state"} <= found and "requests" not in found
        assert "texts" in found  # dbt sees no ancestor of it: it may depend on anything
        land_run(home, "one")
        found = refreshed()
        assert {"requests", "mixed"} <= found and "answers" not in found
        with duckdb.connect(str(home.warehouse)) as warehouse:
            assert warehouse.execute("select n from mixed").fetchall() == [(1,), (1,)]
            warehouse.execute("drop table answers")
        assert {"requests", "answers", "mixed"} <= refreshed(is_forced=True)
        with duckdb.connect(str(home.warehouse)) as warehouse:
            warehouse.execute("drop table answers")
        land_run(home, "two")
        assert {"requests", "answers", "mixed"} <= refreshed()
    finally:
        for name in texts:
            (project / "models" / name).unlink()


SOURCES = """
version: 2
sources:
  - name: landing
    config:
      meta:
        external_location: "read_parquet('{{ env_var('EVALHOUSE_HOME') }}/landing/{name}/*.parquet')"
    tables: [{name: runs}, {name: responses}]
"""


def test_the_project_is_read_once_for_all_homes(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each build reads what landed in its own home, also after another home's, in either order."""
    sources = project / "models" / "sources.yml"
    requests = project / "models" / "requests.sql"
    sources.write_text(SOURCES)
    requests.write_text("select run_id from {{ source('landing', 'runs') }}")
    homes = [Home(tmp_path / name) for name in ("one", "one-and-more")]
    try:
        for home in homes:
            home.root.mkdir()
            land_run(home, home.root.name)
            refresh(home, project=project)
            monkeypatch.setattr("glue.dbt_session._parse", None)
        for home in homes:
            refresh(home, project=project, is_forced=True)
        for home in homes:
            with duckdb.connect(str(home.warehouse), read_only=True) as warehouse:
                assert warehouse.execute("from requests").fetchall() == [(home.root.name,)]
    finally:
        sources.unlink()
        requests.unlink()


@pytest.mark.parametrize("changed", ["vocabularies", "_versions"])
def test_other_software_builds_everything_again(
    home: Home, project: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    assert not refresh(home, project=project).is_skipped
    assert refresh(home, project=project).is_skipped
    monkeypatch.setattr(build, changed, lambda: ["another"])
    assert refresh(home, project=project).n_built == 4


def test_code_that_models_call_is_part_of_what_they_are_made_from(
    home: Home, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "glue"
    package.mkdir()
    (package / "udfs.py").write_text("one = 1")
    monkeypatch.setattr(build, "__file__", str(package / "build.py"))
    assert not refresh(home, project=project).is_skipped
    assert refresh(home, project=project).is_skipped
    (package / "udfs.py").write_text("one = 'another'")
    assert not refresh(home, project=project).is_skipped


def test_a_whole_build_serves_every_pending_table(home: Home, project: Path) -> None:
    assert refresh(home, project=project).n_built == 4
    assert refresh(home, "pending_requests", project=project).is_skipped
    assert refresh(home, project=project).is_skipped
    assert not refresh(home, project=project, is_forced=True).is_skipped
    home.warehouse.unlink()
    assert not refresh(home, project=project).is_skipped


def test_a_model_that_fails_leaves_what_it_was(home: Home, project: Path) -> None:
    macro = project / "macros" / "rebuilt_in_place.sql"
    model = project / "models" / "kept.sql"
    macro.parent.mkdir()
    macro.write_text((project_directory() / "macros" / macro.name).read_text())
    try:
        for text in (
            "{{ config(materialized='view') }} select 1 as number",
            "select 2 as number",
            "select 3 as number",
        ):
            model.write_text(text)
            refresh(home, project=project)
            assert _numbers(home) == [int(text.split(" as ")[0][-1])]
        model.write_text("select 1 + error('no')::integer as number")
        with pytest.raises(GlueError, match="kept"):
            refresh(home, project=project)
        assert _numbers(home) == [3]
    finally:
        macro.unlink()
        model.unlink()


def _numbers(home: Home) -> list[int]:
    with duckdb.connect(str(home.warehouse), read_only=True) as warehouse:
        return [number for (number,) in warehouse.execute("select number from kept").fetchall()]


def test_a_failing_model_is_named_with_its_error_and_the_log(home: Home, project: Path) -> None:
    bad = project / "models" / "bad.sql"
    bad.write_text("select nonsense from {{ ref('runs') }}")
    try:
        with pytest.raises(GlueError) as caught:
            refresh(home, project=project)
    finally:
        bad.unlink()
    assert "bad (models/bad.sql)" in caught.value.message
    assert 'Referenced column "nonsense" not found' in caught.value.message
    log = home.target / "logs" / "dbt.log"
    assert str(log) in (caught.value.hint or "") and "nonsense" in log.read_text()
    assert not refresh(home, project=project).is_skipped  # a failed build is not remembered


def test_a_project_that_does_not_compile_says_why(home: Home, project: Path) -> None:
    bad = project / "models" / "bad.sql"
    bad.write_text("select * from {{ ref('nowhere') }}")
    try:
        with pytest.raises(GlueError, match="nowhere"):
            refresh(home, project=project)
    finally:
        bad.unlink()


def test_a_held_warehouse_names_the_holder(home: Home, project: Path) -> None:
    code = "import sys, duckdb; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(home.warehouse)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(GlueError, match=f"in use by process {holder.pid}: .*import sys, duckdb"):
            refresh(home, project=project)
    finally:
        holder.communicate()


def test_an_unbuilt_handoff_says_how_to_build_it(home: Home) -> None:
    with pytest.raises(GlueError) as caught:
        read_handoff(home, "pending_statements")
    assert "glue build" in (caught.value.hint or "")


def test_the_project_is_the_checkout_of_this_package() -> None:
    import glue

    assert project_directory() == Path(glue.__file__).resolve().parents[1]
