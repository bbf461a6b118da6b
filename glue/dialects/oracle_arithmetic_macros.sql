-- What stands for Oracle's operators and casts where DuckDB's own answer otherwise.

-- Refused by a cast that fails: DuckDB lets no window go in the order of a value for which error() may be called.
create or replace temp macro ora_divide(dividend, divisor) as
    list_transform(
        [struct_pack(dividend := dividend::double, divisor := divisor::double)],
        lambda given: case
            when given.divisor = 0 then 'ORA-01476: divisor is equal to zero'::double
            else given.dividend / given.divisor
        end
    )[1];

-- Which of two numbers is the larger, where one is a double of several steps: 0 for neither. Two that are nearly
-- the same may be so to Oracle, or not.
create or replace temp macro ora_told_apart(first, second) as
    list_transform(
        [struct_pack(first := first::double, second := second::double)],
        lambda given: case
            when given.first is null or given.second is null then null
            when given.first = given.second then 0
            when abs(given.first - given.second) <= 1e-12 * greatest(abs(given.first), abs(given.second), 1)
                then error('unsupported: ' || given.first || ' beside ' || given.second || ', of too few known digits')
            when given.first < given.second then -1
            else 1
        end
    )[1];

-- A quotient without end is to Oracle one of 38 digits: what is made of it is not exact there though it looks so here
-- (1 / 3 * 3). Moved off by less than the digits that are known, it is nearly the same as the exact number.
create or replace temp macro ora_doubt(number) as
    case when number::double = ora_nearest(number::double) then 1 else 1 + 4e-16 end;

create or replace temp macro ora_sum(first, second) as
    list_transform(
        [struct_pack(first := first, second := second)],
        lambda given: (given.first + given.second) * ora_doubt(given.first) * ora_doubt(given.second)
    )[1];

create or replace temp macro ora_difference(first, second) as
    list_transform(
        [struct_pack(first := first, second := second)],
        lambda given: (given.first - given.second) * ora_doubt(given.first) * ora_doubt(given.second)
    )[1];

create or replace temp macro ora_product(first, second) as
    list_transform(
        [struct_pack(first := first, second := second)],
        lambda given: (given.first * given.second) * ora_doubt(given.first) * ora_doubt(given.second)
    )[1];

create or replace temp macro ora_quotient(dividend, divisor) as
    list_transform(
        [struct_pack(dividend := dividend, divisor := divisor)],
        lambda given: ora_divide(given.dividend, given.divisor)
        * ora_doubt(given.dividend) * ora_doubt(given.divisor)
    )[1];

create or replace temp macro ora_days_between(later, earlier) as
    (epoch_us(later) - epoch_us(earlier)) / 86400000000;

-- To the second: what takes a DATE gives one.
create or replace temp macro ora_move_days(moment, n_days) as
    ora_in_reach(moment + to_seconds(round(n_days::double * 86400)::bigint));

-- Unlike ADD_MONTHS an interval of months has no last days: the day must be there.
create or replace temp macro ora_move_months(moment, months) as
    list_transform(
        [struct_pack(given := moment, moved := moment + months)],
        lambda pair: case
            when day(pair.given) <> day(pair.moved) then error('ORA-01839: date not valid for month specified')
            else ora_in_reach(pair.moved)
        end
    )[1];

-- To so many digits behind the point, below a bound.
create or replace temp macro ora_cast_number(number, digits, bound) as
    list_transform(
        [ora_round(number, digits)],
        lambda given: case
            when abs(given) >= bound then error('ORA-01438: value larger than specified precision allows')
            else given
        end
    )[1];

create or replace temp macro ora_cast_double(number, digits, bound) as
    ora_cast_number(ora_decimal(number), digits, bound);

-- A value that is no text has to fit.
create or replace temp macro ora_cast_written(words, n_letters) as
    list_transform(
        [words],
        lambda given: case
            when length(given) > n_letters then error('unsupported: CAST of a value to a text too short for it')
            else given
        end
    )[1];

-- All arguments are asked for, whichever is the answer: one that fails makes the call fail.
create or replace temp macro ora_nvl(first, second) as
    list_transform(
        [struct_pack(first := first, second := second)],
        lambda given: coalesce(given.first, given.second)
    )[1];

create or replace temp macro ora_nvl2(tested, there, missing) as
    list_transform(
        [struct_pack(tested := tested, there := there, missing := missing)],
        lambda given: case when given.tested is not null then given.there else given.missing end
    )[1];

create or replace temp macro ora_greatest(first, second) as
    case when first is not null and second is not null then greatest(first, second) end;

create or replace temp macro ora_least(first, second) as
    case when first is not null and second is not null then least(first, second) end;

create or replace temp macro ora_bounded_text(words) as
    list_transform(
        [words],
        lambda given: case
            when octet_length(encode(given)) > 4000
                then error('ORA-01489: result of string concatenation is too long')
            else given
        end
    )[1];

-- LISTAGG … ON OVERFLOW TRUNCATE: the values that fit beside the ending; where that depends on the room that Oracle
-- keeps for the number of those left out, of which the manual only says the most, no answer is known.
create or replace temp macro ora_truncated_list(words, separator, ending, n_reserved) as
    list_transform(
        [struct_pack(
            words := words,
            sizes := list_transform(
                words,
                lambda word, place: octet_length(encode(array_to_string(words[:place], separator)))
            )
        )],
        lambda given: case
            when coalesce(given.sizes[-1], 0) <= 4000 then ora_text(array_to_string(given.words, separator))
            else list_transform(
                [struct_pack(
                    most := len(list_filter(
                        given.sizes,
                        lambda size: size + octet_length(encode(concat(separator, ending))) <= 4000
                    )),
                    least := len(list_filter(
                        given.sizes,
                        lambda size: size + octet_length(encode(concat(separator, ending))) + n_reserved <= 4000
                    ))
                )],
                lambda kept: case
                    when kept.most <> kept.least then error('unsupported: LISTAGG truncated to the last byte')
                    else concat(
                        array_to_string(given.words[:kept.most], separator),
                        separator,
                        ending,
                        case when n_reserved > 0 then concat('(', len(given.words) - kept.most, ')') else '' end
                    )
                end
            )[1]
        end
    )[1];
