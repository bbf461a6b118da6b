-- SQL Server's catalog as its manual has it, made up in DuckDB.
create schema sys; create schema sales;
create macro has_perms_by_name(a, b, c) as (a <> '[sales].[hidden]')::int;
create macro quotename(a) as '[' || a || ']';
create macro user_name() as 'reader'; create macro db_name() as 'shop';
create macro serverproperty(a) as '16.0.1';
create macro is_srvrolemember(a) as 0;
create macro type_name(a) as
    case a when 1 then 'int' when 2 then 'nvarchar' when 3 then 'decimal' when 4 then 'varchar' else 'datetime2' end;
create macro object_schema_name(a) as 'sales';
create macro sys.fn_my_permissions(a, b) as table
    select unnest(if(b = 'DATABASE', ['SELECT', 'INSERT', 'CREATE TABLE'], ['VIEW ANY DATABASE'])) as permission_name;
create table sys.schemas as select 1 as schema_id, 'sales' as name;
create table sys.objects as select *, 1 as schema_id, 0 as is_ms_shipped from (values
    (10, 'customers', 'U'), (20, 'orders', 'U'), (30, 'seen', 'V'), (40, 'hidden', 'U')) as t (object_id, name, type);
create table sys.extended_properties as select 1 as class, 'MS_Description' as name, * from (values
    (10, 0, 'who buys'), (10, 2, 'where')) as t (major_id, minor_id, value);
create table sys.partitions as select * from (values (10, 1, 1), (20, 1, 400000), (20, 1, 500000), (20, 2, 900000))
    as t (object_id, index_id, rows);
create table sys.columns as select * from (values
    (10, 1, 'id', 1, 4, 10, 0, 0), (10, 2, 'city', 2, 80, 0, 0, 1), (20, 1, 'order_no', 1, 4, 10, 0, 0),
    (20, 2, 'customer_id', 1, 4, 10, 0, 1), (20, 3, 'total', 3, 9, 10, 2, 1), (20, 4, 'text', 4, -1, 0, 0, 1),
    (20, 5, 'at', 5, 8, 27, 7, 1), (30, 1, 'order_no', 1, 4, 10, 0, 1), (40, 1, 'x', 1, 4, 10, 0, 1))
    as t (object_id, column_id, name, user_type_id, max_length, precision, scale, is_nullable);
create table sys.indexes as select *, 0 as has_filter from (values
    (10, 1, 'pk_c', 1, 1), (20, 1, 'pk_o', 1, 1), (20, 2, 'ix', 0, 0))
    as t (object_id, index_id, name, is_unique, is_primary_key);
create table sys.index_columns as select *, 0 as is_included_column, 1 as key_ordinal from (values
    (10, 1, 1), (20, 1, 1), (20, 2, 2)) as t (object_id, index_id, column_id);
create table sys.foreign_keys as select 99 as object_id, 'fk' as name, 20 as parent_object_id;
create table sys.foreign_key_columns as select 99 as constraint_object_id, 1 as constraint_column_id,
    20 as parent_object_id, 2 as parent_column_id, 10 as referenced_object_id, 1 as referenced_column_id;
create table sales.customers as select 1 as id, 'Oslo' as city;
create macro object_name(a) as (select o.name from sys.objects as o where o.object_id = a);
create macro col_name(a, b) as (select c.name from sys.columns as c where c.object_id = a and c.column_id = b);
set search_path = 'sales,main';  -- schema_name() is translated to current_schema()
