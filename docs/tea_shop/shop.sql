-- A small shop for docs/your-own-warehouse.md, in SQL that PostgreSQL, MySQL and MariaDB all take.

create table customers (
    customer_id integer primary key,
    name varchar(40) not null,
    city varchar(40) not null
);

create table products (
    product_id integer primary key,
    title varchar(40) not null,
    kind varchar(20) not null,
    price decimal(8, 2) not null
);

create table orders (
    order_id integer primary key,
    customer_id integer not null,
    ordered_on date not null,
    status varchar(10) not null,
    foreign key (customer_id) references customers (customer_id)
);

create table order_lines (
    order_id integer not null,
    product_id integer not null,
    quantity integer not null,
    unit_price decimal(8, 2) not null,
    primary key (order_id, product_id),
    foreign key (order_id) references orders (order_id),
    foreign key (product_id) references products (product_id)
);

insert into customers values
(1, 'Ada', 'Oslo'),
(2, 'Bo', 'Oslo'),
(3, 'Cem', 'Lima'),
(4, 'Dee', 'Bonn'),
(5, 'Eli', 'Lima');

insert into products values
(1, 'Assam', 'tea', 6.50),
(2, 'Sencha', 'tea', 9.00),
(3, 'Oolong', 'tea', 12.00),
(4, 'Teapot', 'pot', 24.00),
(5, 'Kettle', 'pot', 24.00),
(6, 'Spoon', 'cutlery', 3.25);

insert into orders values
(1, 1, '2026-04-28', 'paid'),
(2, 1, '2026-05-02', 'paid'),
(3, 2, '2026-05-09', 'cancelled'),
(4, 3, '2026-05-11', 'paid'),
(5, 3, '2026-05-30', 'open'),
(6, 5, '2026-06-01', 'paid');

insert into order_lines values
(1, 1, 2, 6.50),
(1, 6, 1, 3.25),
(2, 2, 1, 9.00),
(3, 4, 1, 24.00),
(4, 3, 2, 11.00),
(4, 5, 1, 24.00),
(5, 1, 1, 6.50),
(6, 2, 3, 9.00);
