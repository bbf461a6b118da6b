-- Oracle's data dictionary as its manual has it, made up in DuckDB.
create table dual as select 'X' as dummy;
create macro sys_context(a, b) as
    case b when 'session_user' then 'READER' when 'service_name' then 'shop' else 'SALES' end;
create table product_component_version as select 'Oracle Database 19c' as product, '19.0.0' as version;
create table session_privs as
    select unnest(['CREATE SESSION', 'CREATE TABLE', 'INSERT ANY TABLE', 'SELECT ANY TABLE']) as privilege;
create table session_roles as select 'CLERK' as role;
create table all_tab_privs as
    select 'UPDATE' as privilege, 'SALES' as table_schema, 'ORDERS' as table_name, 'CLERK' as grantee;
create table user_tables (table_name varchar);
create table all_users as select * from (values ('SALES', 'N'), ('SYS', 'Y')) as t (username, oracle_maintained);
create table all_tables as select * from (values
    ('SALES', 'CUSTOMERS', 'N', 'NO', 'NO', null, null), ('SALES', 'ORDERS', 'N', 'NO', 'NO', null, 900000),
    ('SALES', 'BIN$1', 'N', 'NO', 'YES', null, 1), ('SYS', 'OBJ$', 'N', 'NO', 'NO', null, 5))
    as t (owner, table_name, secondary, nested, dropped, iot_name, num_rows);
create table all_views as select 'SALES' as owner, 'SEEN' as view_name;
create table all_tab_comments as select 'SALES' as owner, 'CUSTOMERS' as table_name, 'who buys' as comments;
create table all_tab_cols as select 'SALES' as owner, *, 'NO' as hidden_column from (values
    ('CUSTOMERS', 'ID', 'NUMBER', 22, 10, 0, 0, 'N', 1), ('CUSTOMERS', 'CITY', 'VARCHAR2', 160, null, null, 40, 'Y', 2),
    ('CUSTOMERS', 'N', 'NUMBER', 22, null, 0, 0, 'Y', 3), ('ORDERS', 'ORDER_NO', 'NUMBER', 22, null, null, 0, 'N', 1),
    ('ORDERS', 'CUSTOMER_ID', 'NUMBER', 22, 10, 0, 0, 'Y', 2), ('ORDERS', 'AT', 'TIMESTAMP(6)', 11, null, 6, 0, 'Y', 3),
    ('SEEN', 'ORDER_NO', 'NUMBER', 22, null, null, 0, 'Y', 1))
    as t (table_name, column_name, data_type, data_length, data_precision, data_scale, char_length, nullable, column_id);
create table all_col_comments as
    select 'SALES' as owner, 'CUSTOMERS' as table_name, 'CITY' as column_name, 'where' as comments;
create table all_constraints as select 'SALES' as owner, * from (values
    ('C_PK', 'P', 'CUSTOMERS', null, null), ('O_PK', 'P', 'ORDERS', null, null), ('O_CK', 'C', 'ORDERS', null, null),
    ('O_FK', 'R', 'ORDERS', 'SALES', 'C_PK'))
    as t (constraint_name, constraint_type, table_name, r_owner, r_constraint_name);
create table all_cons_columns as select 'SALES' as owner, * from (values
    ('C_PK', 'CUSTOMERS', 'ID', 1), ('O_PK', 'ORDERS', 'ORDER_NO', 1), ('O_FK', 'ORDERS', 'CUSTOMER_ID', 1))
    as t (constraint_name, table_name, column_name, position);
create schema "SALES"; create table "SALES"."CUSTOMERS" as select 1 as ID;
