-- Oracle's functions of moments and spans as macros of DuckDB. What takes a DATE drops a timestamp's fraction.

create or replace temp macro ora_date(moment) as
    date_trunc('second', moment::timestamp);

-- Before 15 October 1582 Oracle's calendar is Julian, and DuckDB's is not: weekdays and lengths of months differ.
create or replace temp macro ora_gregorian(moment) as
    list_transform(
        [ora_date(moment)],
        lambda given: case
            when given < timestamp '1582-10-15' then error('unsupported: the calendar before 15 October 1582')
            else given
        end
    )[1];

-- Refused by a cast that fails: see ora_divide.
create or replace temp macro ora_in_reach(moment) as
    list_transform(
        [moment],
        lambda given: case
            when year(given) not between 1 and 9999
                then ('ORA-01841: the year ' || year(given) || ' is out of range')::timestamp
            else given
        end
    )[1];

create or replace temp macro ora_last_day(moment) as
    list_transform(
        [ora_gregorian(moment)],
        lambda given: last_day(given) + (given - date_trunc('day', given))
    )[1];

-- From the last day of a month to the last day of another.
create or replace temp macro ora_add_months(moment, n_months) as
    list_transform(
        [struct_pack(moment := ora_gregorian(moment), months := to_months(ora_whole(n_months)::integer))],
        lambda given: case
            when given.moment::date = last_day(given.moment)
                then ora_last_day(ora_in_reach(given.moment + given.months))
            else ora_in_reach(given.moment + given.months)
        end
    )[1];

-- Whole between equal days and between last days; else a month has 31 days, and the time of day counts.
create or replace temp macro ora_months_between(later, earlier) as
    list_transform(
        [struct_pack(later := ora_gregorian(later), earlier := ora_gregorian(earlier))],
        lambda given: (year(given.later) - year(given.earlier)) * 12 + month(given.later) - month(given.earlier)
        + case
            when day(given.later) = day(given.earlier) then 0
            when given.later::date = last_day(given.later) and given.earlier::date = last_day(given.earlier) then 0
            else (
                (day(given.later) - day(given.earlier)) * 86400
                + epoch(given.later - date_trunc('day', given.later))
                - epoch(given.earlier - date_trunc('day', given.earlier))
            ) / (31 * 86400.0)
        end
    )[1];

-- The first such day after this one, at the same time.
create or replace temp macro ora_next_day(moment, weekday) as
    list_transform(
        [struct_pack(moment := ora_gregorian(moment), weekday := ora_weekday(ora_text(weekday)))],
        lambda given: ora_in_reach(
            given.moment + to_days((given.weekday - dayofweek(given.moment) + 6)::integer % 7 + 1)
        )
    )[1];

-- `ora_date_unit` knows the names of the units, and refuses the others.
create or replace temp macro ora_trunc_date(moment) as
    date_trunc('day', moment::timestamp),
(moment, unit) as
    list_transform(
        [struct_pack(moment := ora_date(moment), unit := ora_date_unit(unit))],
        lambda given: case
            when given.unit in ('IYYY', 'IW', 'DAY') and given.moment < timestamp '1582-10-15'
                then error('unsupported: weekdays before 15 October 1582')
            else case given.unit
                when 'CC' then make_timestamp((year(given.moment) - 1) // 100 * 100 + 1, 1, 1, 0, 0, 0)
                when 'YYYY' then date_trunc('year', given.moment)
                when 'IYYY' then date_trunc('isoyear', given.moment)
                when 'Q' then date_trunc('quarter', given.moment)
                when 'MM' then date_trunc('month', given.moment)
                when 'WW' then date_trunc('day', given.moment) - to_days((dayofyear(given.moment) - 1)::integer % 7)
                when 'IW' then date_trunc('week', given.moment)
                when 'W' then date_trunc('day', given.moment) - to_days((day(given.moment) - 1)::integer % 7)
                when 'DD' then date_trunc('day', given.moment)
                when 'DAY' then date_trunc('day', given.moment) - to_days(dayofweek(given.moment)::integer)
                when 'HH' then date_trunc('hour', given.moment)
                when 'MI' then date_trunc('minute', given.moment)
            end
        end
    )[1];

-- Up from 1 July, from the 16th of a month or of a quarter's second month, from the middle of a week, day, hour.
create or replace temp macro ora_round_date(moment) as
    ora_in_reach(date_trunc('day', ora_date(moment) + to_hours(12))),
(moment, unit) as
    list_transform(
        [struct_pack(
            moment := ora_date(moment),
            down := ora_trunc_date(moment, unit),
            unit := ora_date_unit(unit)
        )],
        lambda given: ora_in_reach(case given.unit
            when 'CC' then case
                when year(given.moment) % 100 between 1 and 49 then given.down
                when year(given.moment) % 100 = 50 then error('unsupported: ROUND to a century in its 50th year')
                else given.down + to_years(100)
            end
            when 'YYYY' then date_trunc('year', given.moment + to_months(6))
            when 'IYYY' then error('unsupported: ROUND to a year of weeks')
            when 'Q'
                then given.down
                + to_months(case when given.moment >= given.down + interval '1 month 15 days' then 3 else 0 end)
            when 'MM' then given.down + to_months(case when day(given.moment) >= 16 then 1 else 0 end)
            when 'IW' then case
                when given.moment < given.down + to_hours(84) then given.down
                when isoyear(given.moment) < isoyear(given.down + to_days(7))
                    then error('unsupported: ROUND up from the last week of a year')
                else given.down + to_days(7)
            end
            when 'DD' then date_trunc('day', given.moment + to_hours(12))
            when 'HH' then date_trunc('hour', given.moment + to_minutes(30))
            when 'MI' then date_trunc('minute', given.moment + to_seconds(30))
            else given.down + to_days(case when given.moment >= given.down + to_hours(84) then 7 else 0 end)
        end)
    )[1];

-- A text without a model is read by the session's own, as a moment without one is written.
create or replace temp macro ora_to_date(words) as
    ora_moment_of(ora_text(words), ora_date_model(), false, ora_now()),
(words, model) as
    ora_moment_of(ora_text(words), ora_text(model), false, ora_now());

create or replace temp macro ora_to_timestamp(words) as
    ora_moment_of(ora_text(words), ora_timestamp_model(), true, ora_now()),
(words, model) as
    ora_moment_of(ora_text(words), ora_text(model), true, ora_now());

create or replace temp macro ora_to_char_date(moment) as
    ora_moment_text(moment::timestamp, ora_date_model(), false),
(moment, model) as
    ora_text(ora_moment_text(moment::timestamp, ora_text(model), false));

create or replace temp macro ora_to_char_timestamp(moment) as
    ora_moment_text(moment::timestamp, ora_timestamp_model(), true),
(moment, model) as
    ora_text(ora_moment_text(moment::timestamp, ora_text(model), true));

-- Spans, their days apart from the rest, that DuckDB adds them to a moment as Oracle does.
create or replace temp macro ora_span(microseconds) as
    list_transform(
        [microseconds],
        lambda given: to_days((given // 86400000000)::integer) + to_microseconds(given % 86400000000)
    )[1];

create or replace temp macro ora_numtodsinterval(number, unit) as
    ora_span(round(number * ora_microseconds_of(ora_text(unit)), 0)::bigint);

create or replace temp macro ora_numtoyminterval(number, unit) as
    list_transform(
        [number * ora_months_of(ora_text(unit))],
        lambda given: case
            when given <> trunc(given) then error('unsupported: a fraction of a month in NUMTOYMINTERVAL')
            else to_months(given::integer)
        end
    )[1];

-- EXTRACT of a moment.

create or replace temp macro ora_extract_year(moment) as
    year(moment);

create or replace temp macro ora_extract_month(moment) as
    month(moment);

create or replace temp macro ora_extract_day(moment) as
    day(moment);

create or replace temp macro ora_extract_hour(moment) as
    hour(moment);

create or replace temp macro ora_extract_minute(moment) as
    minute(moment);

create or replace temp macro ora_extract_second(moment) as
    microsecond(moment)::decimal(9, 0) * 0.000001;

-- EXTRACT of a span: each field has the span's sign.

create or replace temp macro ora_span_microseconds(span) as
    list_transform(
        [span],
        lambda given: day(given) * 86400000000 + hour(given) * 3600000000
        + minute(given) * 60000000 + microsecond(given)
    )[1];

create or replace temp macro ora_extract_year_span(span) as
    year(span);

create or replace temp macro ora_extract_month_span(span) as
    month(span);

create or replace temp macro ora_extract_day_span(span) as
    ora_span_microseconds(span) // 86400000000;

create or replace temp macro ora_extract_hour_span(span) as
    ora_span_microseconds(span) // 3600000000 % 24;

create or replace temp macro ora_extract_minute_span(span) as
    ora_span_microseconds(span) // 60000000 % 60;

create or replace temp macro ora_extract_second_span(span) as
    (ora_span_microseconds(span) % 60000000)::decimal(9, 0) * 0.000001;
