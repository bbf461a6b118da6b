"""URLs of live databases: postgresql://ada@host:5432/shop, taken apart. A password in one goes its own way.

Nothing here puts a URL, or a part that may be of a password, into a message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

from glue.errors import GlueError, nearest


@dataclass(frozen=True)
class ServerKind:
    """A kind of database server: its name for people, its driver and what installs it, its usual port."""

    title: str
    dialect: str
    driver: str
    extra: str
    port: int
    example: str

    def without_driver(self, error: ImportError) -> GlueError:
        """What to say where the driver cannot be imported: it is missing, or a library that it stands on."""
        if isinstance(error, ModuleNotFoundError):
            why, hint = "is not installed", f"pip install 'evalhouse[{self.extra}]'"
        else:
            why, hint = f"cannot be loaded: {error}", "install the library that it asks for"
            if self.driver == "pyodbc":
                hint += ": unixODBC (apt-get install unixodbc), then an ODBC driver for SQL Server"
        return GlueError(f"{self.title} needs the driver {self.driver}, which {why}", hint)


SERVER_KINDS = {
    "postgresql": ServerKind(
        "PostgreSQL", "postgres", "psycopg", "postgres", 5432, "postgresql://ada@db.example.org:5432/shop"
    ),
    "mysql": ServerKind("MySQL", "mysql", "pymysql", "mysql", 3306, "mysql://ada@db.example.org:3306/shop"),
    "mariadb": ServerKind(
        "MariaDB", "mysql", "pymysql", "mysql", 3306, "mariadb://ada@db.example.org:3306/shop"
    ),
    "oracle": ServerKind(
        "Oracle", "oracle", "oracledb", "oracle", 1521, "oracle://ada@db.example.org:1521/shop_service"
    ),
    "sqlserver": ServerKind(
        "SQL Server", "tsql", "pyodbc", "mssql", 1433, "mssql://ada@db.example.org:1433/shop"
    ),
}
_SCHEMES = {**{name: name for name in SERVER_KINDS}, "postgres": "postgresql", "mssql": "sqlserver"}

_PASSWORD_OPTIONS = {"password", "passwd", "pwd"}
_SECRET_OPTION = re.compile(r"password|passwd|pwd|secret|token", re.IGNORECASE)
_URL = re.compile(r"([A-Za-z][\w+.-]*)://(.*)", re.DOTALL)
_ADDRESS = re.compile(
    r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[^:/?#]*)(?::(?P<port>[^/?#]*))?(?P<rest>[/?#].*)?", re.DOTALL
)
_SHOWN_PASSWORD = re.compile(r"(\b[A-Za-z][\w+.-]*://[^\s:/@]*:).*@")
_SHOWN_OPTION = re.compile(r"\b((?:\w*password|passwd|pwd|secret|\w*token)=)[^&;\s]+", re.IGNORECASE)


@dataclass(frozen=True)
class ServerUrl:
    """A URL's parts without the password. Of Oracle without a host, the database is a net service name."""

    engine: str
    host: str | None
    port: int | None
    database: str | None
    user: str | None
    options: tuple[tuple[str, str], ...]


def is_server_url(text: str) -> bool:
    """Does a text begin as the URL of a server does?"""
    found = _URL.match(text.strip())
    return found is not None and found[1].lower().partition("+")[0] in _SCHEMES


def without_passwords(text: str) -> str:
    """A text for people without the passwords of URLs, up to the last @ of a line, and of their options."""
    return _SHOWN_OPTION.sub(r"\1…", _SHOWN_PASSWORD.sub(r"\1…@", text))


def parsed_url(text: str) -> tuple[ServerUrl, str | None]:
    """A URL's parts, and the password it holds. GlueError, which never shows the URL, says what is wrong.

    All before the last @ is user and password, so that a password may hold any character as it is; an @ after
    it is written %40.
    """
    found = _URL.match(text.strip())
    if found is None:
        raise GlueError("that is no URL of a database", f"write it as {SERVER_KINDS['postgresql'].example}")
    engine = _engine(found[1])
    who, _, where = found[2].rpartition("@")
    user, colon, given = who.partition(":")
    password = unquote(given) if colon else None
    address = _ADDRESS.fullmatch(where)
    if address is None:
        raise GlueError("the URL's host cannot be read", f"write it as {SERVER_KINDS[engine].example}")
    path, _, query = (address["rest"] or "").partition("?")
    options, of_options = _options(query)
    host = options.pop("host", None) or unquote(address["host"]).strip("[]") or None
    database = unquote(path.strip("/")) or options.pop("dbname", "") or None
    if engine == "oracle" and database is None and "sid" not in options:  # a name that tnsnames.ora explains
        host, database = None, host
    url = ServerUrl(
        engine=engine,
        host=host,
        port=_port(address["port"], engine, has_user="@" in found[2]),
        database=database,
        user=unquote(user) or options.pop("user", None),
        options=tuple(options.items()),
    )
    if url.database is None and engine in ("postgresql", "sqlserver"):
        raise GlueError("the URL names no database", f"write it as {SERVER_KINDS[engine].example}")
    if url.host is None and engine not in ("postgresql", "oracle") and "unix_socket" not in options:
        raise GlueError("the URL names no host", f"write it as {SERVER_KINDS[engine].example}")
    return url, password or of_options


def _engine(scheme: str) -> str:
    plain = scheme.lower().partition("+")[0]  # postgresql+psycopg: as SQLAlchemy writes it
    if plain in _SCHEMES:
        return _SCHEMES[plain]
    if plain in ("sqlite", "duckdb", "file"):
        raise GlueError(f"{plain} databases are files", "import the file: glue import database FILE")
    close = nearest(plain, list(_SCHEMES))
    hint = (
        f"did you mean {close}://?" if close else f"servers: {', '.join(f'{name}://' for name in _SCHEMES)}"
    )
    raise GlueError(f"there are no connections to {plain}://", hint)


def _port(text: str | None, engine: str, has_user: bool) -> int | None:
    if not text:
        return None
    if text.isascii() and text.isdigit() and 0 < int(text[:6]) < 65_536:
        return int(text)
    # Without an @ it may be a password.
    shown = f" {text!r}" if has_user else ""
    raise GlueError(
        f"the URL's port{shown} is no number from 1 to 65535", f"write it as {SERVER_KINDS[engine].example}"
    )


def _options(query: str) -> tuple[dict[str, str], str | None]:
    """The driver's options, and the password where one of them is."""
    options: dict[str, str] = {}
    password: str | None = None
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name.lower() in _PASSWORD_OPTIONS:
            password = value or None
        elif _SECRET_OPTION.search(name):
            raise GlueError(
                f"the URL's option {name} is a secret, and connections keep none",
                "leave it out; a wallet or key without a password is opened by its path",
            )
        else:
            options[name] = value
    return options, password
