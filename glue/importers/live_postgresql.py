"""What PostgreSQL's catalog is asked, through pg_catalog."""

from __future__ import annotations

from glue.importers.live_shape import Ask, LiveCatalog

_READABLE = """
    from pg_catalog.pg_class as c
    inner join pg_catalog.pg_namespace as n on c.relnamespace = n.oid
    where
        c.relkind in ('r', 'p', 'v', 'm', 'f')
        and not c.relispartition
        and n.nspname not in ('pg_catalog', 'information_schema')
        and n.nspname !~ '^pg_(toast|temp)'
        and pg_catalog.has_schema_privilege(n.oid, 'usage')
        and pg_catalog.has_any_column_privilege(c.oid, 'select')
"""

_POWERS = """
select 'superuser', rolsuper from pg_catalog.pg_roles where rolname = current_user
union all
select 'may create roles', rolcreaterole from pg_catalog.pg_roles where rolname = current_user
union all
select 'may create databases', rolcreatedb from pg_catalog.pg_roles where rolname = current_user
union all
select 'may create schemas', pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create')
union all
select
    'may become role ' || rolname,
    pg_catalog.pg_has_role(current_user, oid, 'member')
from pg_catalog.pg_roles
where
    rolname <> current_user
    and rolname not in ('pg_read_all_data', 'pg_read_all_settings', 'pg_read_all_stats')
union all
select
    'may create in schema ' || nspname,
    pg_catalog.has_schema_privilege(oid, 'create')
from pg_catalog.pg_namespace
where nspname not in ('pg_catalog', 'information_schema') and nspname !~ '^pg_(toast|temp)'
union all
select
    'may change ' || pg_catalog.count(*) || ' tables, '
        || pg_catalog.min(n.nspname || '.' || c.relname) || ' for one',
    pg_catalog.count(*) > 0
from pg_catalog.pg_class as c
inner join pg_catalog.pg_namespace as n on c.relnamespace = n.oid
where
    c.relkind in ('r', 'p', 'v', 'f')
    and n.nspname not in ('pg_catalog', 'information_schema')
    and n.nspname !~ '^pg_(toast|temp)'
    and (
        pg_catalog.has_table_privilege(c.oid, 'insert, update, delete, truncate')
        or pg_catalog.has_any_column_privilege(c.oid, 'insert, update')
    )
"""


def _powers(ask: Ask) -> list[str]:
    found = [what for what, has_it in ask(_POWERS) if has_it]
    return ["superuser"] if "superuser" in found else found


POSTGRESQL = LiveCatalog(
    who="select pg_catalog.current_setting('server_version'), current_user, pg_catalog.current_database()",
    home_schemas="select unnest(pg_catalog.current_schemas(false))",
    schemas=f"select n.nspname, pg_catalog.count(*) {_READABLE} group by n.nspname order by n.nspname",
    tables=f"""
        select
            c.relname,
            c.relkind in ('v', 'm'),
            pg_catalog.obj_description(c.oid, 'pg_class'),
            case when c.reltuples >= 0 then c.reltuples::bigint end
        {_READABLE} and n.nspname = %(schema)s
        order by c.relname
    """,
    columns=f"""
        select
            readable.relname,
            a.attname,
            pg_catalog.format_type(a.atttypid, a.atttypmod),
            not a.attnotnull,
            pg_catalog.col_description(a.attrelid, a.attnum)
        from (select c.oid, c.relname {_READABLE} and n.nspname = %(schema)s) as readable
        inner join pg_catalog.pg_attribute as a on readable.oid = a.attrelid
        where
            a.attnum > 0
            and not a.attisdropped
            and pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'select')
        order by readable.relname, a.attnum
    """,
    keys="""
        select t.relname, i.relname, x.indisprimary, a.attname
        from pg_catalog.pg_index as x
        inner join pg_catalog.pg_class as t on x.indrelid = t.oid
        inner join pg_catalog.pg_class as i on x.indexrelid = i.oid
        inner join pg_catalog.pg_namespace as n on t.relnamespace = n.oid
        cross join lateral unnest(x.indkey::smallint[]) with ordinality as k (attnum, place)
        inner join pg_catalog.pg_attribute as a on t.oid = a.attrelid and k.attnum = a.attnum
        where
            x.indisunique and x.indisvalid and x.indpred is null and x.indexprs is null
            and k.place <= x.indnkeyatts
            and n.nspname = %(schema)s
        order by t.relname, i.relname, k.place
    """,
    foreign_keys="""
        select t.relname, f.conname, a.attname, rn.nspname, r.relname, ra.attname
        from pg_catalog.pg_constraint as f
        inner join pg_catalog.pg_class as t on f.conrelid = t.oid
        inner join pg_catalog.pg_namespace as n on t.relnamespace = n.oid
        inner join pg_catalog.pg_class as r on f.confrelid = r.oid
        inner join pg_catalog.pg_namespace as rn on r.relnamespace = rn.oid
        cross join lateral unnest(f.conkey, f.confkey) with ordinality as k (attnum, other, place)
        inner join pg_catalog.pg_attribute as a on t.oid = a.attrelid and k.attnum = a.attnum
        inner join pg_catalog.pg_attribute as ra on r.oid = ra.attrelid and k.other = ra.attnum
        where f.contype = 'f' and f.conparentid = 0 and n.nspname = %(schema)s
        order by t.relname, f.conname, k.place
    """,
    has_search_path=True,
    limit="set statement_timeout = {ms}",
    sample_text="pg_catalog.left({column}::text, {n})",
    unsampled_types=("bytea", "json", "xml", "geometry", "geography", "tsvector", "oid"),
    powers=_powers,
)
