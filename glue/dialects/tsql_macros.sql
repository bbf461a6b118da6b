-- What SQL Server does with values, as macros of DuckDB: conversions, and the order of texts. A value that is mentioned
-- more than once is bound by a lambda: a macro's argument is text, and nested calls would grow with every mention.

-- DuckDB's own error() may stand in no window and stops its optimizer; a text that is no truth value refuses as well,
-- and where it does not refuse it would be NULL, which goes with every type.
create or replace temp macro tsql_refuse(message) as
    case when (message)::boolean then null end;

-- Texts that are numbers. `is_try`: NULL in place of a refusal.

create or replace temp macro tsql_whole(words, least, most, bad, far, is_try) as
    list_transform([trim(words, ' ')], lambda given: case
        when given is null then null
        when not regexp_full_match(given, '[+-]?[0-9]*')
            then case when not is_try then tsql_refuse('TSQL-' || bad || ': ''' || given || ''' is no whole number') end
        when given in ('', '+', '-') then 0
        when coalesce(try_cast(given as hugeint) between least and most, false) then try_cast(given as bigint)
        when not is_try then tsql_refuse('TSQL-' || far || ': ' || given || ' is out of range')
    end)[1];

create or replace temp macro tsql_bit(words, is_try) as
    list_transform([lower(trim(words, ' '))], lambda given: case
        when given is null then null
        when given in ('true', 'false') then given = 'true'
        when regexp_full_match(given, '[+-]?[0-9]*') then regexp_matches(given, '[1-9]')
        when not is_try then tsql_refuse('TSQL-245: ''' || given || ''' is no bit')
    end::utinyint)[1];

create or replace temp macro tsql_digits(words, is_try) as
    list_transform([trim(words, ' ')], lambda given: case
        when given is null then null
        when regexp_full_match(given, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)') then given
        when not is_try then tsql_refuse('TSQL-8114: ''' || given || ''' is no numeric')
    end)[1];

create or replace temp macro tsql_float(words, is_try) as
    list_transform([trim(words, ' ')], lambda given: case
        when given is null then null
        when given = '' then '0'
        when regexp_full_match(given, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?') then given
        when not is_try then tsql_refuse('TSQL-8114: ''' || given || ''' is no float')
    end)[1];

create or replace temp macro tsql_money(words, is_try) as
    list_transform([replace(words, ' ', '')], lambda given: case
        when given is null then null
        when regexp_full_match(given, '[+-]?[$£€¥]?[+-]?[0-9,]*\.?[0-9]*')
            then coalesce(nullif(regexp_replace(given, '[$£€¥,]', '', 'g'), ''), '0')
        when not is_try then tsql_refuse('TSQL-235: ''' || given || ''' is no money')
    end)[1];

create or replace temp macro tsql_unique(words, is_try) as
    list_transform([trim(words, ' ')], lambda given: case
        when given is null then null
        when regexp_full_match(given, '\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?')
            then upper(trim(given, '{}'))
        when not is_try then tsql_refuse('TSQL-8169: ''' || given || ''' is no uniqueidentifier')
    end)[1];

create or replace temp macro tsql_narrow(number, least, most, code, is_try) as
    list_transform([number], lambda given: case
        when given between least and most then given
        when given is not null and not is_try then tsql_refuse('TSQL-' || code || ': ' || given || ' is out of range')
    end)[1];

-- Numbers that are texts.

create or replace temp macro tsql_fitting(words, size, code, is_try) as
    list_transform([words], lambda given: case
        when length(given) <= size then given
        when given is null then null
        when code = '' then '*'
        when not is_try then tsql_refuse('TSQL-' || code || ': ' || given || ' has more than ' || size || ' letters')
    end)[1];

-- Six digits, and three of the exponent.
create or replace temp macro tsql_float_scientific(number, format) as
    regexp_replace(printf(format, number), 'e([+-])([0-9][0-9])$', 'e\10\2');

create or replace temp macro tsql_float_text(number) as
    tsql_float_scientific(number, '%.6g');

create or replace temp macro tsql_money_text(amount) as
    ((amount)::decimal(21, 2))::varchar;

create or replace temp macro tsql_money_grouped(amount) as
    list_transform([(amount)::decimal(21, 2)], lambda given:
        case when given < 0 then '-' else '' end
        || format('{:,}', trunc(abs(given))::bigint)
        || right(given::varchar, 3)
    )[1];

-- Texts: what a code page lacks, and what comes first. Punctuation comes before digits, and they before letters.

create or replace temp macro tsql_code_page(words) as
    case when strlen(words) = length(words) then words else tsql_in_code_page(words) end;

-- Signs that ASCII has behind digits, and letters that it lacks, are left to Python, whose places go with these.
create or replace temp macro tsql_place(words) as
    case
        when regexp_matches(words, '[^ !-/0-9A-Za-z]') then tsql_place_of(words, false)
        else lower(rtrim(words, ' '))
    end;

create or replace temp macro tsql_national_place(words) as
    case
        when regexp_matches(words, '[^ 0-9A-Za-z]') then tsql_place_of(words, true)
        else lower(rtrim(words, ' '))
    end;

-- Moments: texts, numbers of days since 1900, and types that are less exact.

create or replace temp macro tsql_moment(words, kind, style, is_try) as
    list_transform([words], lambda given: coalesce(
        case
            when style = 0
                and regexp_full_match(given, '[0-9]{4}-[0-9]{2}-[0-9]{2}')
                and given between '1900' and '2079'
                then try_cast(given as date)::timestamp
        end,
        tsql_moment_of(given, kind, style, is_try)
    ))[1];

create or replace temp macro tsql_days(moment) as
    (epoch_us(moment) + 2208988800000000) / 86400000000.0::double;

create or replace temp macro tsql_moment_of_days(days, is_try) as
    list_transform([days], lambda given: case
        when given >= -53690 and given < 2958464
            then timestamp '1900-01-01'
                + to_microseconds((round(round(given * 25920000) * 10 / 3) * 1000)::bigint)
        when given is not null and not is_try then tsql_refuse('TSQL-8115: no datetime is ' || given || ' days from 1900')
    end)[1];

create or replace temp macro tsql_to_ticks(moment, is_try) as
    list_transform([moment], lambda given: case
        when given >= timestamp '1753-01-01'
            then date_trunc('second', given) + to_microseconds(
                (((microsecond(given) % 1000000) * 3 + 5000) // 10000 * 20 + 3) // 6 * 1000
            )
        when given is not null and not is_try then tsql_refuse('TSQL-242: ' || given || ' is no datetime')
    end)[1];

-- A DATETIME counts 1/300 of a second, and is written in milliseconds: finer types have its thirds.
create or replace temp macro tsql_exact_moment(moment, n_digits) as
    list_transform([moment], lambda given: case
        when microsecond(given) % 10000 = 0 then given
        when n_digits > 6 and given is not null then tsql_refuse('unsupported: the seventh digit of a second')
        else date_trunc('second', given) + to_microseconds(
            ((microsecond(given) % 1000000 * 3 + 5000) // 10000 * 20000 + 3) // 6
        )
    end)[1];

create or replace temp macro tsql_to_minute(moment, is_try) as
    list_transform([date_trunc('minute', moment + to_microseconds(30001000))], lambda given: case
        when given between timestamp '1900-01-01' and timestamp '2079-06-06 23:59:00' then given
        when given is not null and not is_try then tsql_refuse('unsupported: a smalldatetime beyond its years')
    end)[1];

create or replace temp macro tsql_rounded_moment(moment, unit) as
    list_transform([moment], lambda given: given + to_microseconds(
        case
            when microsecond(given) % unit * 2 >= unit then unit - microsecond(given) % unit
            else -(microsecond(given) % unit)
        end
    ))[1];

create or replace temp macro tsql_rounded_time(moment, unit) as
    tsql_rounded_moment(date '1900-01-01' + moment, unit)::time;

create or replace temp macro tsql_iso_fraction(fraction, is_counted) as
    case
        when fraction is null then null
        when trim(fraction, '0') <> '' then '.' || fraction
        when is_counted then ''
        else tsql_refuse('unsupported: style 126 of a datetime2 without a fraction')
    end;

-- Bytes, two digits for each.

create or replace temp macro tsql_letters(words) as
    case
        when strlen(words) = length(words) then hex(encode(words))
        when words is not null then tsql_refuse('unsupported: bytes of letters that ASCII lacks')
    end;

create or replace temp macro tsql_wide_letters(words) as
    regexp_replace(tsql_letters(words), '(..)', '\100', 'g');

create or replace temp macro tsql_letters_of(letters) as
    list_transform([hex(letters)], lambda given: case
        when regexp_full_match(given, '([0-7][0-9A-F])*') then decode(unhex(given))
        when given is not null then tsql_refuse('unsupported: bytes that are no letters of ASCII')
    end)[1];

create or replace temp macro tsql_written_bytes(words, has_sign) as
    list_transform([words], lambda given: case
        when given is null then null
        when regexp_full_match(given, case when has_sign then '0[xX]' else '' end || '([0-9A-Fa-f]{2})*')
            then regexp_replace(given, '^0[xX]', '')
        else tsql_refuse('TSQL-8114: ''' || given || ''' is no varbinary')
    end)[1];

create or replace temp macro tsql_number_of_bytes(digits, size, most, span) as
    list_transform([('0x0' || right(digits, size))::bigint], lambda given:
        case when given >= most then given - span else given end
    )[1];
