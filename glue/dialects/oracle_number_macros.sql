-- Oracle's functions of numbers as macros of DuckDB. Decimals and integers stay exact. A double stands for a NUMBER
-- of which 15 digits are known: `ora_decimal` reads it so, that 1.005 is no less than it looks.

create or replace temp macro ora_decimal(number) as
    list_transform(
        [number::double],
        lambda given: case
            when abs(given) >= 1e17 then error('unsupported: a fraction of ' || given)
            else format('{:.14e}', given)::decimal(38, 20)
        end
    )[1];

create or replace temp macro ora_nearest(number) as
    format('{:.14e}', number)::double;

-- The remainder has the dividend's sign; by 0 it is the dividend.
create or replace temp macro ora_mod(dividend, divisor) as
    list_transform(
        [struct_pack(dividend := dividend, divisor := divisor)],
        lambda given: case
            when given.divisor = 0 then given.dividend
            else given.dividend % given.divisor
        end
    )[1];

create or replace temp macro ora_mod_double(dividend, divisor) as
    ora_mod(ora_decimal(dividend), ora_decimal(divisor))::double;

-- What is left of the nearest multiple, of the even one where two are as near.
create or replace temp macro ora_remainder(dividend, divisor) as
    list_transform(
        [struct_pack(rest := ora_mod(dividend, divisor), divisor := divisor, dividend := dividend)],
        lambda given: case
            when given.divisor = 0 then error('ORA-01428: the divisor 0 is out of range')
            when abs(given.rest) * 2 > abs(given.divisor)
                or (
                    abs(given.rest) * 2 = abs(given.divisor)
                    and abs((given.dividend - given.rest) % (given.divisor * 2)) = abs(given.divisor)
                )
                then given.rest - sign(given.rest) * abs(given.divisor)
            else given.rest
        end
    )[1];

create or replace temp macro ora_remainder_double(dividend, divisor) as
    ora_remainder(ora_decimal(dividend), ora_decimal(divisor))::double;

-- The digits of ROUND and TRUNC, which must be constant: DuckDB takes neither a column nor NULL there.
create or replace temp macro ora_digits(digits) as
    coalesce(trunc(digits), 0)::integer;

-- Half away from zero.
create or replace temp macro ora_round(number) as round(number, 0),
(number, digits) as case when digits is not null then round(number, ora_digits(digits)) end;

create or replace temp macro ora_rounded_double(number, digits) as
    list_transform(
        [number::double],
        lambda given: case
            when digits is null then null
            when abs(given) >= 1e15 then round(given, ora_digits(digits))
            else round(ora_decimal(given), ora_digits(digits))::double
        end
    )[1];

create or replace temp macro ora_round_double(number) as ora_rounded_double(number, 0),
(number, digits) as ora_rounded_double(number, digits);

create or replace temp macro ora_trunc(number) as trunc(number),
(number, digits) as case when digits is not null then trunc(number, ora_digits(digits)) end;

create or replace temp macro ora_truncated_double(number, digits) as
    list_transform(
        [number::double],
        lambda given: case
            when digits is null then null
            when abs(given) >= 1e15 then trunc(given, ora_digits(digits))
            else trunc(ora_decimal(given), ora_digits(digits))::double
        end
    )[1];

create or replace temp macro ora_trunc_double(number) as ora_truncated_double(number, 0),
(number, digits) as ora_truncated_double(number, digits);

-- Not by DuckDB's own of an integer, which answers with a double.
create or replace temp macro ora_ceil(number) as
    list_transform(
        [number],
        lambda given: trunc(given) + case when given > trunc(given) then 1 else 0 end
    )[1];

create or replace temp macro ora_ceil_double(number) as
    list_transform(
        [number::double],
        lambda given: case when abs(given) >= 1e15 then ceil(given) else ceil(ora_decimal(given))::double end
    )[1];

create or replace temp macro ora_floor(number) as
    list_transform(
        [number],
        lambda given: trunc(given) - case when given < trunc(given) then 1 else 0 end
    )[1];

create or replace temp macro ora_floor_double(number) as
    list_transform(
        [number::double],
        lambda given: case when abs(given) >= 1e15 then floor(given) else floor(ora_decimal(given))::double end
    )[1];

create or replace temp macro ora_abs(number) as
    abs(number);

create or replace temp macro ora_sign(number) as
    sign(number);

-- What a NUMBER cannot hold.
create or replace temp macro ora_finite(number) as
    list_transform(
        [number],
        lambda given: case when abs(given) >= 1e126 then error('ORA-01426: ' || given || ' overflows') else given end
    )[1];

create or replace temp macro ora_power(base, exponent) as
    list_transform(
        [struct_pack(base := base::double, exponent := exponent::double)],
        lambda given: case
            when given.base < 0 and given.exponent <> trunc(given.exponent)
                then error('ORA-01428: a root of the negative number ' || given.base)
            when given.base = 0 and given.exponent < 0 then error('unsupported: 0 to a negative power')
            else ora_finite(power(given.base, given.exponent))
        end
    )[1];

create or replace temp macro ora_sqrt(number) as
    list_transform(
        [number::double],
        lambda given: case
            when given < 0 then error('ORA-01428: the square root of the negative number ' || given)
            else sqrt(given)
        end
    )[1];

create or replace temp macro ora_exp(number) as
    ora_finite(exp(number));

create or replace temp macro ora_ln(number) as
    list_transform(
        [number::double],
        lambda given: case
            when given <= 0 then error('ORA-01428: ' || given || ' has no logarithm')
            else ln(given)
        end
    )[1];

-- The base comes first.
create or replace temp macro ora_log(base, number) as
    list_transform(
        [struct_pack(base := base::double, number := number::double)],
        lambda given: case
            when given.base <= 0 or given.base = 1
                then error('ORA-01428: ' || given.base || ' is no base of logarithms')
            when given.number <= 0 then error('ORA-01428: ' || given.number || ' has no logarithm')
            else ora_nearest(ln(given.number) / ln(given.base))
        end
    )[1];

create or replace temp macro ora_bitand(first, second) as
    ora_whole(first) & ora_whole(second);

-- Buckets of one width from `least` up to, and without, `greatest`; 0 is below them.
create or replace temp macro ora_width_bucket(number, least_number, greatest_number, n_buckets) as
    list_transform(
        [struct_pack(
            number := number,
            low := least_number,
            high := greatest_number,
            n_buckets := ora_whole(n_buckets)
        )],
        lambda given: case
            when given.low is null or given.high is null or given.n_buckets is null or given.n_buckets < 1
                then error('ORA-30494: WIDTH_BUCKET has a bound that is NULL, or no bucket')
            when given.low >= given.high then error('unsupported: WIDTH_BUCKET from more to less')
            when given.number < given.low then 0
            when given.number >= given.high then given.n_buckets + 1
            else floor((given.number - given.low) * given.n_buckets / (given.high - given.low))::bigint + 1
        end
    )[1];

create or replace temp macro ora_nanvl(number, other) as
    list_transform(
        [struct_pack(number := number, other := other)],
        lambda given: case when isnan(given.number::double) then given.other else given.number end
    )[1];

-- By a model or without. Of a number read from a text 28 digits before the point and 10 behind it are kept, and
-- nothing is rounded.
create or replace temp macro ora_to_number(words) as ora_number_digits(ora_text(words), null, true)::decimal(38, 10),
(words, model) as ora_number_digits(ora_text(words), ora_text(model), false)::decimal(38, 10);

create or replace temp macro ora_to_char_number(number) as
    ora_number_text(number::varchar, null, true, typeof(number) in ('DOUBLE', 'FLOAT')),
(number, model) as
    ora_text(ora_number_text(number::varchar, ora_text(model), false, typeof(number) in ('DOUBLE', 'FLOAT')));

create or replace temp macro ora_to_char_text(words) as
    ora_text(words);
