"""`glue doctor`: what it finds, in a home of its own, and when it fails."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import duckdb
import pytest

from glue import doctor
from glue.doctor import Finding, examine, is_broken
from glue.home import Home
from glue.landing import Writer


def found(home: Home) -> dict[tuple[str, str], Finding]:
    return {(finding.part, finding.name): finding for finding in examine(home)}


def test_a_fresh_home_lacks_nothing_that_the_core_needs(home: Home) -> None:
    findings = found(home)
    assert not is_broken(list(findings.values()))
    assert findings["packages", "duckdb"].detail == metadata.version("duckdb")
    assert findings["landing", "rows"].mend == "glue bank load sqlite"
    assert findings["warehouse", "file"].mend == "glue build"
    assert not home.landing.exists()  # looking changes nothing


def test_a_missing_package_breaks_the_core_and_names_its_mend(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        doctor, "_version", lambda name: None if name == "pyarrow" else metadata.version("duckdb")
    )
    monkeypatch.setattr(doctor, "_requirements", lambda: {"pyarrow": ">=21"})
    findings = found(home)
    assert is_broken(list(findings.values()))
    assert findings["packages", "pyarrow"].mend == "pip install 'pyarrow>=21'"
    assert ("warehouse", "file") not in findings  # what stands on it is not looked at


def test_a_version_nobody_tried_is_a_warning(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_requirements", lambda: {"duckdb": "==1.0.0"})
    finding = found(home)["packages", "duckdb"]
    assert finding.status == "warning" and finding.mend == "pip install 'duckdb==1.0.0'"


def test_a_missing_extra_is_no_fault(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    real = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "oracledb" else real(name))
    monkeypatch.setattr(doctor, "_requirements", lambda: {"oracledb": "<27,>=26.1"})
    finding = found(home)["extras", "oracle"]
    assert (finding.status, finding.mend) == ("optional", "pip install 'oracledb<27,>=26.1'")


def test_a_home_that_is_not_there_is_broken(tmp_path: Path) -> None:
    findings = found(Home(tmp_path / "nowhere"))
    assert is_broken(list(findings.values()))
    assert findings["home", "folder"].mend == f"mkdir -p {tmp_path / 'nowhere'}"


def test_landed_rows_lost_files_and_locks_are_told(home: Home) -> None:
    with Writer(home, loop="import") as writer:
        paths = [("here", str(home.root)), ("gone", str(home.root / "gone.sqlite")), ("bare", None)]
        rows = [{"import_id": "i", "db_id": name, "path": path} for name, path in paths]
        writer.append("databases", rows)
        writer.append("imports", [{"import_id": "i", "imported_at": datetime.now(UTC)}])
    with Writer(home, loop="execute", command="glue execute --workers 3"):
        findings = found(home)
    assert findings["landing", "rows"].detail == "imports 1, databases 3"
    assert findings["databases", "gone"].status == "warning"
    assert findings["databases", "files"].detail == "1 at hand; 1 known without a data file"
    assert "glue execute --workers 3" in findings["locks", "execute"].detail
    assert found(home)["locks", "loops"].detail == "none held"


def test_the_age_of_the_warehouse_is_told(home: Home) -> None:
    with duckdb.connect(str(home.warehouse)) as connection:
        connection.execute("create table build_state as select now() as build_started_at")
    assert found(home)["warehouse", "file"].status == "ok"
    with duckdb.connect(str(home.warehouse)) as connection:
        connection.execute("update build_state set build_started_at = '2020-01-01'")
    with Writer(home, loop="generate") as writer:
        writer.append("runs", [{"run_id": "r", "started_at": datetime.now(UTC)}])
    finding = found(home)["warehouse", "file"]
    assert finding.status == "warning" and "older than what has landed" in finding.detail
