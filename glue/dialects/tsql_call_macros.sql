-- SQL Server's functions and operators as macros of DuckDB, by the Transact-SQL reference.

-- Quotients and products. `shift` and `own` make whole numbers of both sides; `unit` is 1 at the answer's last place.
-- Below the bounds DuckDB's own whole numbers hold them.

create or replace temp macro tsql_finite(number) as
    list_transform([number], lambda given: case
        when isinf(given) then error('TSQL-8115: a float overflows')
        else given
    end)[1];

create or replace temp macro tsql_quotient(dividend, divisor) as
    tsql_finite(dividend / case when divisor = 0 then error('TSQL-8134: divide by zero') else divisor end);

create or replace temp macro tsql_money_quotient(dividend, divisor) as
    ((dividend * 100000000::decimal(9, 0))::hugeint // (divisor * 10000::decimal(5, 0))::hugeint)::decimal(38, 0)
    * 0.0001::decimal(5, 4);

create or replace temp macro tsql_wide_quotient(dividend, divisor, scale, unit) as
    tsql_unscaled_quotient((dividend)::varchar, (divisor)::varchar, scale)::decimal(38, 0) * unit;

create or replace temp macro tsql_long_quotient(dividend, divisor, shift, own, unit, scale, bound, own_bound) as
    list_transform([struct_pack(dividend := dividend, divisor := divisor)], lambda given: case
        when abs(given.dividend) < bound and abs(given.divisor) < own_bound
            then ((given.dividend * shift)::hugeint // (given.divisor * own)::hugeint)::decimal(38, 0) * unit
        else tsql_wide_quotient(given.dividend, given.divisor, scale, unit)
    end)[1];

create or replace temp macro tsql_long_sum(first, second, scale, unit, bound) as
    list_transform([struct_pack(first := first, second := second)], lambda given: case
        when abs(given.first) < bound and abs(given.second) < bound then round(given.first + given.second, scale)
        else tsql_unscaled_sum(given.first::varchar, given.second::varchar, scale)::decimal(38, 0) * unit
    end)[1];

create or replace temp macro tsql_wide_product(first, second, scale, unit) as
    tsql_unscaled_product((first)::varchar, (second)::varchar, scale)::decimal(38, 0) * unit;

create or replace temp macro tsql_long_product(first, second, scale, unit, bound) as
    list_transform([struct_pack(first := first, second := second)], lambda given: case
        when abs(given.first::double * given.second::double) < bound then round(given.first * given.second, scale)
        else tsql_wide_product(given.first, given.second, scale, unit)
    end)[1];

-- Numbers. 3623: what has no answer among real numbers.

create or replace temp macro tsql_sqrt(number) as
    list_transform([number], lambda given: case
        when given < 0 then error('TSQL-3623: the square root of a negative number')
        else sqrt(given)
    end)[1];

create or replace temp macro tsql_log(number) as
    list_transform([number], lambda given: case
        when given <= 0 then error('TSQL-3623: the logarithm of a number that is not positive')
        else ln(given)
    end)[1],
(number, base) as
    list_transform([struct_pack(number := number, base := base)], lambda given: case
        when given.number <= 0 or given.base <= 0 or given.base = 1
            then error('TSQL-3623: the logarithm of a number, or by a base, that has none')
        when given.base = 10 then log10(given.number)
        when given.base = 2 then log2(given.number)
        else ln(given.number) / ln(given.base)
    end)[1];

create or replace temp macro tsql_arc(angle) as
    list_transform([angle], lambda given: case
        when isnan(given) then error('TSQL-3623: an arc of what is beyond 1')
        else given
    end)[1];

create or replace temp macro tsql_power(base, exponent) as
    list_transform([struct_pack(base := base, exponent := exponent)], lambda given: case
        when given.base = 0 and given.exponent < 0 then error('unsupported: a negative power of 0')
        when isnan(pow(given.base, given.exponent)) then error('TSQL-3623: a power that is no real number')
        else tsql_finite(pow(given.base, given.exponent))
    end)[1];

-- Texts.

create or replace temp macro tsql_units(words) as
    case
        when strlen(words) = length(words) then length(words)
        else length(words) + length(regexp_replace(words, '[^\x{10000}-\x{10ffff}]', '', 'g'))
    end;

create or replace temp macro tsql_length(number, code) as
    list_transform([number], lambda given: case
        when given < 0 then error('TSQL-' || code || ': a length of ' || given)
        else given
    end)[1];

create or replace temp macro tsql_charindex(needle, words) as
    case when needle = '' then 0 else instr(words, needle) end;

create or replace temp macro tsql_charindex_from(needle, words, start) as
    list_transform(
        [struct_pack(needle := needle, words := words, start := greatest(start, 1), asked := start)],
        lambda given: case
            when given.asked is null then null
            when given.needle = '' or given.start > length(given.words) then 0
            when instr(substr(given.words, given.start), given.needle) = 0 then 0
            else instr(substr(given.words, given.start), given.needle) + given.start - 1
        end
    )[1];

create or replace temp macro tsql_patindex(expression, words) as
    list_transform([struct_pack(expression := expression, words := words)], lambda given: case
        when regexp_matches(given.words, given.expression)
            then length(regexp_extract(given.words, given.expression, 1)) + 1
        when given.words is not null and given.expression is not null then 0
    end)[1];

create or replace temp macro tsql_substring(words, start, size) as
    list_transform([struct_pack(words := words, start := start::bigint, size := size::bigint)], lambda given:
        substr(
            given.words,
            case when given.start < 1 then 1 else given.start end,
            case
                when given.start >= 1 then given.size
                when given.start + given.size > 1 then given.start + given.size - 1
                when given.start is not null and given.size is not null then 0
            end
        )
    )[1];

create or replace temp macro tsql_stuff(words, start, size, filling) as
    list_transform(
        [struct_pack(words := words, start := start::bigint, size := size::bigint, filling := filling)],
        lambda given: case
            when given.start between 1 and length(given.words) and given.size >= 0
                then substr(given.words, 1, given.start - 1)
                    || coalesce(given.filling, '')
                    || substr(given.words, given.start + given.size)
        end
    )[1];

create or replace temp macro tsql_replicate(words, count) as
    list_transform([struct_pack(words := words, count := count)], lambda given: case
        when given.count >= 0 then repeat(given.words, least(given.count, 8000))
    end)[1];

-- Where capitals do not count.
create or replace temp macro tsql_replace(words, old, new) as
    list_transform([struct_pack(words := words, old := old, new := new)], lambda given: case
        when given.old = '' and given.new is not null then given.words
        else regexp_replace(
            given.words,
            '(?i)' || regexp_escape(given.old),
            replace(given.new, '\', '\\'),
            'g'
        )
    end)[1];

create or replace temp macro tsql_without(words, letters, made) as
    case
        when length(translate(words, letters, '')) = length(words) then made
        when words is not null then error('unsupported: single letters that differ from those of the text by case')
    end;

create or replace temp macro tsql_xml(words) as
    replace(replace(replace(replace(words, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), chr(13), '&#x0D;');

create or replace temp macro tsql_ascii(words) as
    list_transform([words], lambda given: case
        when given = '' then null
        when unicode(given) < 128 or unicode(given) between 160 and 255 then unicode(given)
        when given is not null then error('unsupported: ASCII of a letter that ASCII lacks')
    end)[1];

create or replace temp macro tsql_char(number) as
    list_transform([number], lambda given: case
        when given between 1 and 127 then chr(given)
        when given between 160 and 255 then chr(given)
        when given between 0 and 255 then error('unsupported: CHAR of ' || given)
    end)[1];

create or replace temp macro tsql_isnumeric(words) as
    list_transform([trim(words, ' ')], lambda given: (
        given is not null
        and given <> ''
        and regexp_full_match(given, '[+-]?[$£€¥]?[+-]?[0-9,]*\.?[0-9]*|[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[eEdD][+-]?[0-9]+')
    )::integer)[1];

-- Moments.

create or replace temp macro tsql_within(moment, earliest, latest) as
    list_transform([moment], lambda given: case
        when given < earliest or given > latest then error('TSQL-517: a moment beyond its type''s years')
        else given
    end)[1];

-- Weeks change between Saturday and Sunday. 31 December 1899 was a Sunday.
create or replace temp macro tsql_week_number(moment) as
    floor(date_diff('day', date '1899-12-31', (moment)::date) / 7)::bigint;

create or replace temp macro tsql_weeks(earlier, later) as
    tsql_week_number(later) - tsql_week_number(earlier);

create or replace temp macro tsql_bucket(moment, origin, size) as
    list_transform([struct_pack(moment := moment, after := epoch_us(moment) - epoch_us(origin))], lambda given:
        given.moment - to_microseconds((given.after % size + size) % size)
    )[1];

create or replace temp macro tsql_month_bucket(moment, n_months) as
    list_transform([year(moment) * 12 + month(moment) - 22801], lambda given:
        timestamp '1900-01-01' + to_months((given - (given % n_months + n_months) % n_months)::integer)
    )[1];

create or replace temp macro tsql_eomonth(moment, count) as
    list_transform([struct_pack(moment := date_trunc('month', moment), count := count)], lambda given:
        last_day(tsql_within(
            given.moment + to_months(given.count), timestamp '0001-01-01', timestamp '9999-12-31'
        )::date)
    )[1];

create or replace temp macro tsql_day_of_parts(year, month, day) as
    list_transform([struct_pack(year := year::bigint, month := month::bigint, day := day::bigint)], lambda given: case
        when given.year is null or given.month is null or given.day is null then null
        when given.year between 1 and 9999 and given.month between 1 and 12 and given.day >= 1
            and given.day <= day(last_day(make_date(given.year, given.month, 1)))
            then make_date(given.year, given.month, given.day)
    end)[1];

create or replace temp macro tsql_clock_of_parts(hour, minute, second, microsecond) as
    list_transform(
        [struct_pack(hour := hour::bigint, minute := minute::bigint, second := second::bigint, rest := microsecond::bigint)],
        lambda given: case
            when given.hour between 0 and 23 and given.minute between 0 and 59 and given.second between 0 and 59
                and given.rest between 0 and 999999
                then given.hour * 3600000000 + given.minute * 60000000 + given.second * 1000000 + given.rest
        end
    )[1];

-- `known`: are all parts there? Then there is a moment of them, or they are refused.
create or replace temp macro tsql_of_parts(moment, known) as
    list_transform([moment], lambda given: case
        when given is null and known then error('TSQL-289: the parts make no moment')
        else given
    end)[1];

create or replace temp macro tsql_date_of_parts(year, month, day) as
    tsql_of_parts(tsql_day_of_parts(year, month, day), year + month + day is not null);

create or replace temp macro tsql_fraction(fraction, scale) as
    case when fraction < 10 ^ scale then (fraction * 1000000 // (10 ^ scale)::bigint)::bigint else -1 end;

create or replace temp macro tsql_time_of_parts(hour, minute, second, fraction, scale) as
    (timestamp '1900-01-01' + to_microseconds(tsql_of_parts(
        tsql_clock_of_parts(hour, minute, second, tsql_fraction(fraction, scale)),
        hour + minute + second + fraction is not null
    )))::time;

create or replace temp macro tsql_datetime2_of_parts(year, month, day, hour, minute, second, fraction, scale) as
    tsql_of_parts(
        tsql_day_of_parts(year, month, day)::timestamp
            + to_microseconds(tsql_clock_of_parts(hour, minute, second, tsql_fraction(fraction, scale))),
        year + month + day + hour + minute + second + fraction is not null
    );

create or replace temp macro tsql_datetime_of_parts(year, month, day, hour, minute, second, milliseconds) as
    tsql_to_ticks(tsql_datetime2_of_parts(year, month, day, hour, minute, second, milliseconds, 3), false);

create or replace temp macro tsql_smalldatetime_of_parts(year, month, day, hour, minute) as
    tsql_to_minute(tsql_datetime2_of_parts(year, month, day, hour, minute, 0, 0, 0), false);

-- How many rows TOP, OFFSET and FETCH leave.
create or replace temp macro tsql_row_count(number, least, code) as
    list_transform([number], lambda given: case
        when given is null then error('TSQL-1014: the number of rows is NULL')
        when given < least then error('TSQL-' || code || ': ' || given || ' is no number of rows')
        else given
    end)[1];

-- GENERATE_SERIES, whose end belongs to it.
create or replace temp macro tsql_direction(start, stop) as
    case when start > stop then -1 else 1 end;

create or replace temp macro tsql_series(start, stop, step) as
    generate_series(
        start::bigint,
        stop::bigint,
        (case when step = 0 then error('TSQL-4199: a step of 0') else step end)::bigint
    );
