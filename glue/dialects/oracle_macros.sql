-- Oracle's functions as macros of DuckDB, by the SQL Language Reference. A DATE is a timestamp without fraction.
-- '' is NULL, given or returned. What stands in a list of one is bound by a lambda: a macro's argument is text, and
-- nested calls would grow with every further mention of it.

-- Text: what is empty is NULL.

create or replace temp macro ora_text(words) as
    list_filter([words], lambda word: word <> '')[1];

create or replace temp macro ora_upper(words) as
    ora_text(upper(words));

create or replace temp macro ora_lower(words) as
    ora_text(lower(words));

create or replace temp macro ora_length(words) as
    length(ora_text(words));

create or replace temp macro ora_concat(first, second) as
    ora_text(concat(first, second));

create or replace temp macro ora_whole(number) as
    trunc(number)::bigint;

-- From the front, or with a negative place from the end; 0 is as 1.
create or replace temp macro ora_substr(words, place) as
    list_transform(
        [struct_pack(words := ora_text(words), place := ora_whole(place))],
        lambda given: case
            when given.place >= -length(given.words)
                then ora_text(substr(given.words, case when given.place = 0 then 1 else given.place end))
        end
    )[1],
(words, place, n_letters) as
    list_transform(
        [struct_pack(words := ora_text(words), place := ora_whole(place), n_letters := ora_whole(n_letters))],
        lambda given: case
            when given.n_letters > 0 and given.place >= -length(given.words)
                then ora_text(substr(
                    given.words,
                    case when given.place = 0 then 1 else given.place end,
                    given.n_letters
                ))
        end
    )[1];

-- The places where a word begins, those in one another too: from `place` on, or with a negative one back from it.
create or replace temp macro ora_instr_from(words, word, place, occurrence) as
    list_transform(
        [struct_pack(
            words := ora_text(words),
            word := ora_text(word),
            place := ora_whole(place),
            occurrence := ora_whole(occurrence)
        )],
        lambda given: case
            when given.occurrence < 1 then error('ORA-01428: the occurrence ' || given.occurrence || ' is out of range')
            when given.words is null or given.word is null or given.place is null or given.occurrence is null then null
            when given.place = 0 then 0
            else coalesce(
                list_filter(
                    case
                        when given.place > 0
                            then range(given.place, length(given.words) - length(given.word) + 2)
                        else range(
                            least(
                                length(given.words) + given.place + 1,
                                length(given.words) - length(given.word) + 1
                            ),
                            0,
                            -1
                        )
                    end,
                    lambda start: substr(given.words, start, length(given.word)) = given.word
                )[given.occurrence],
                0
            )
        end
    )[1];

create or replace temp macro ora_instr(words, word) as instr(ora_text(words), ora_text(word)),
(words, word, place) as ora_instr_from(words, word, place, 1),
(words, word, place, occurrence) as ora_instr_from(words, word, place, occurrence);

-- To a number of letters; where wide letters count as two columns is left to Oracle.
create or replace temp macro ora_padded(words, width, filling, is_left) as
    list_transform(
        [struct_pack(words := ora_text(words), width := ora_whole(width), filling := ora_text(filling))],
        lambda given: case
            when given.width < 1 or given.width is null or given.filling is null then null
            when regexp_matches(concat(given.words, given.filling), '[\x{1100}-\x{10ffff}]')
                then error('unsupported: padding of wide characters')
            when is_left then lpad(given.words, least(given.width, 4000)::integer, given.filling)
            else rpad(given.words, least(given.width, 4000)::integer, given.filling)
        end
    )[1];

create or replace temp macro ora_lpad(words, width) as ora_padded(words, width, ' ', true),
(words, width, filling) as ora_padded(words, width, filling, true);

create or replace temp macro ora_rpad(words, width) as ora_padded(words, width, ' ', false),
(words, width, filling) as ora_padded(words, width, filling, false);

create or replace temp macro ora_ltrim(words) as ora_text(ltrim(words, ' ')),
(words, letters) as ora_text(ltrim(words, ora_text(letters)));

create or replace temp macro ora_rtrim(words) as ora_text(rtrim(words, ' ')),
(words, letters) as ora_text(rtrim(words, ora_text(letters)));

-- TRIM takes one letter.
create or replace temp macro ora_trim_letter(letter) as
    list_transform(
        [ora_text(letter)],
        lambda given: case when length(given) > 1 then error('ORA-30001: TRIM takes one character') else given end
    )[1];

create or replace temp macro ora_trim(words) as ora_text(trim(words, ' ')),
(words, letter) as ora_text(trim(words, ora_trim_letter(letter)));

create or replace temp macro ora_trim_leading(words) as ora_text(ltrim(words, ' ')),
(words, letter) as ora_text(ltrim(words, ora_trim_letter(letter)));

create or replace temp macro ora_trim_trailing(words) as ora_text(rtrim(words, ' ')),
(words, letter) as ora_text(rtrim(words, ora_trim_letter(letter)));

create or replace temp macro ora_translate(words, letters, others) as
    ora_text(translate(words, ora_text(letters), ora_text(others)));

-- Without a replacement what is searched for goes; searched for nothing, the text stays.
create or replace temp macro ora_replaced(words, word, other) as
    list_transform(
        [struct_pack(words := ora_text(words), word := ora_text(word), other := coalesce(other, ''))],
        lambda given: case
            when given.word is null then given.words
            else ora_text(replace(given.words, given.word, given.other))
        end
    )[1];

create or replace temp macro ora_replace(words, word) as ora_replaced(words, word, ''),
(words, word, other) as ora_replaced(words, word, other);

-- A word is a run of letters and digits.
create or replace temp macro ora_initcap(words) as
    ora_text(array_to_string(
        list_transform(
            regexp_extract_all(lower(words), '[\p{L}\p{N}]+|[^\p{L}\p{N}]+'),
            lambda word: concat(upper(word[1]), word[2:])
        ),
        ''
    ));

-- The bytes of the first letter in UTF-8, taken for one number.
create or replace temp macro ora_ascii(words) as
    ('0x' || hex(encode(substr(ora_text(words), 1, 1))))::bigint;

create or replace temp macro ora_chr(number) as
    list_transform(
        [ora_whole(number)],
        lambda code: case
            when code < 0 then error('ORA-01428: the code ' || code || ' is out of range')
            when code > 127 then error('unsupported: CHR of ' || code || ', a byte of several')
            else chr(code::integer)
        end
    )[1];

-- Bytes are turned round: of letters of several bytes nothing readable is left.
create or replace temp macro ora_reverse(words) as
    list_transform(
        [ora_text(words)],
        lambda given: case
            when regexp_matches(given, '[^\x00-\x7f]') then error('unsupported: REVERSE of characters of several bytes')
            else reverse(given)
        end
    )[1];

-- Regular expressions. RE2 answers the condition, Python what asks where and which.

create or replace temp macro ora_regexp_like(words, pattern, match_parameter := null) as
    regexp_matches(ora_text(words), ora_re2_pattern(ora_text(pattern), ora_text(match_parameter)));

create or replace temp macro ora_regexp_count(words, pattern, place := 1, match_parameter := null) as
    ora_py_regexp_count(ora_text(words), ora_text(pattern), ora_whole(place), ora_text(match_parameter));

create or replace temp macro ora_regexp_substr(
    words, pattern, place := 1, occurrence := 1, match_parameter := null, subexpression := 0
) as
    ora_text(ora_py_regexp_substr(
        ora_text(words),
        ora_text(pattern),
        ora_whole(place),
        ora_whole(occurrence),
        ora_text(match_parameter),
        ora_whole(subexpression)
    ));

create or replace temp macro ora_regexp_instr(
    words, pattern, place := 1, occurrence := 1, return_option := 0, match_parameter := null, subexpression := 0
) as
    ora_py_regexp_instr(
        ora_text(words),
        ora_text(pattern),
        ora_whole(place),
        ora_whole(occurrence),
        ora_whole(return_option),
        ora_text(match_parameter),
        ora_whole(subexpression)
    );

create or replace temp macro ora_regexp_replace(
    words, pattern, replacement := null, place := 1, occurrence := 0, match_parameter := null
) as
    ora_text(ora_py_regexp_replace(
        ora_text(words),
        ora_text(pattern),
        ora_text(replacement),
        ora_whole(place),
        ora_whole(occurrence),
        ora_text(match_parameter)
    ));
