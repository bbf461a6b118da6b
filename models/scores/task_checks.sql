{#- Words by which a question asks for an order, for a rank, or for one thing or the other. -#}
{% set order_words -%}
    '(?i)\b(order(ed)?|sort(ed)?|rank(ed|ing|s)?|ascending|descending|alphabetical(ly)?|chronological(ly)?|top|bottom|(from|in) (the )?(highest|lowest|largest|smallest|most|least|earliest|latest|oldest|newest|youngest|tallest|shortest|first|increasing|decreasing))\b'
{%- endset %}
{% set rank_words -%}
    '(?i)\b(rank(ed|ing|s)?|percentiles?|quartiles?|deciles?|running|cumulative|moving|previous|next)\b'
{%- endset %}
{% set or_words -%}
    '(?i)\b(or|either)\b'
{%- endset %}

with

drafts as (

    select * from {{ ref('task_drafts') }}
    where is_read

),

rules as (

    select * from {{ ref('task_rules') }}

),

limits as (

    select
        map(list(check_name), list(least)) as least,
        map(list(check_name), list(most)) as most,
    from rules

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

categories as (

    select * from {{ ref('function_categories') }}

),

results as (

    select * from {{ ref('draft_results') }}

),

shapes as (

    select
        * replace (
            list_filter(
                item_ids,
                lambda item, place: components[place].knowledge_type <> 'full_sql'
            ) as item_ids
        ),
        list_transform(
            list_filter(
                components,
                lambda component: component.knowledge_type in ('calculation', 'condition', 'dimension')
            ),
            lambda component: {{ item_id('component.knowledge_type', 'component.skeleton') }}
        ) as logic_ids,
        reason is null as is_shaped,
    from {{ ref('task_shapes') }}

),

queries as (

    select
        *,
        {{ sql_id('dialect', 'sql') }} as text_sql_id,
    from {{ ref('history_queries') }}
    where sql is not null

),

placed as (

    select
        drafts.*,
        {{ outline_id_or_none('outlines') }} as outline_id,
    from drafts
    left join outlines
        on drafts.schema_benchmark = outlines.benchmark
        and drafts.db_id = outlines.db_id

),

used as (

    select
        task_run_id,
        draft_number,
        revision,
        history,
        outline_id,
        sql_id,
        unnest(used_query_ids) as history_query_id,
    from placed

),

originals as (

    -- The past queries that a draft says it took, each beside the draft.
    select
        used.task_run_id,
        used.draft_number,
        used.revision,
        used.history_query_id,
        theirs,
        len(list_intersect(theirs.item_ids, mine.item_ids)) > 0
        or len(list_filter(theirs.joins, lambda one: list_contains(mine.joins, one))) > 0 as is_shared,
    from used
    inner join shapes as mine
        on used.sql_id = mine.sql_id
        and used.outline_id = mine.outline_id
    inner join queries
        on used.history = queries.history
        and used.history_query_id = queries.history_query_id
    inner join shapes as theirs
        on queries.text_sql_id = theirs.sql_id
        and used.outline_id = theirs.outline_id

),

together as (

    select
        task_run_id,
        draft_number,
        revision,
        count(*) as n_originals,
        max(theirs.n_joined_tables) as n_joined_tables,
        flatten(list(theirs.functions)) as functions,
        flatten(list(theirs.windows)) as windows,
        flatten(list(theirs.joins)) as joins,
        flatten(list(theirs.cases)) as cases,
        flatten(list(theirs.connected)) as connected,
        flatten(list(theirs.aggregates)) as aggregates,
        flatten(list(theirs.conditions)) as conditions,
        flatten(list(theirs.item_ids)) as item_ids,
        list(history_query_id order by history_query_id) filter (where not is_shared) as unshared_ids,
    from originals
    group by task_run_id, draft_number, revision

),

likeness as (

    select
        one.task_run_id,
        one.draft_number,
        one.revision,
        max(
            len(list_intersect(one.theirs.item_ids, other.theirs.item_ids))
            / greatest(len(list_distinct(list_concat(one.theirs.item_ids, other.theirs.item_ids))), 1)
        ) as most_alike,
    from originals as one
    inner join originals as other
        on one.task_run_id = other.task_run_id
        and one.draft_number = other.draft_number
        and one.revision = other.revision
        and one.history_query_id < other.history_query_id
    group by one.task_run_id, one.draft_number, one.revision

),

named_categories as (

    select map(list(function_name), list(category)) as category_of from categories

),

side_by_side as (

    select
        placed.task_run_id,
        placed.benchmark,
        placed.draft_number,
        placed.revision,
        concat_ws(' ', placed.question, placed.evidence) as wording,
        placed.used_numbers,
        placed.used_query_ids,
        placed.history_query_ids as offered_ids,
        mine,
        coalesce(mine.is_shaped, false) as is_shaped,
        coalesce(mine.is_shaped, false) and together.n_originals is not null as is_compared,
        together,
        coalesce(likeness.most_alike, 0) as most_alike,
        results,
        coalesce(results.outcome = 'answered', false) as has_result,
        coalesce(results.outcome = 'answered' and results.n_read_rows > 0, false) as has_rows,
        limits.least,
        limits.most,
        list_distinct(
            list_transform(
                mine.functions,
                lambda name: coalesce(named_categories.category_of[name], name)
            )
        ) as my_categories,
        list_distinct(
            list_transform(
                coalesce(together.functions, []),
                lambda name: coalesce(named_categories.category_of[name], name)
            )
        ) as their_categories,
    from placed
    cross join limits
    cross join named_categories
    left join shapes as mine
        on placed.sql_id = mine.sql_id
        and placed.outline_id = mine.outline_id
    left join together
        on placed.task_run_id = together.task_run_id
        and placed.draft_number = together.draft_number
        and placed.revision = together.revision
    left join likeness
        on placed.task_run_id = likeness.task_run_id
        and placed.draft_number = likeness.draft_number
        and placed.revision = likeness.revision
    left join results on placed.statement_id = results.statement_id

),

faults as (

    select
        *,
        list_filter(
            mine.joins,
            lambda one: not list_contains(
                case
                    when len(list_filter(together.joins, lambda other: other.pair = one.pair)) > 0
                        then list_transform(
                            list_filter(together.joins, lambda other: other.pair = one.pair),
                            lambda other: other.mode
                        )
                    when len(together.joins) > 0 then list_transform(together.joins, lambda other: other.mode)
                    else ['inner']
                end,
                one.mode
            )
        ) as changed_joins,
        list_filter(
            mine.cases,
            lambda one:
                len(list_filter(together.cases, lambda other: other.condition = one.condition)) > 0
                and not list_contains(together.cases, one)
        ) as changed_cases,
        list_filter(
            mine.aggregates,
            lambda one:
                not one.is_distinct
                and len(list_filter(
                    together.aggregates,
                    lambda other:
                        other.is_distinct and other.name = one.name and other.argument = one.argument
                )) > 0
                and not list_contains(together.aggregates, one)
        ) as plain_aggregates,
        list_filter(
            mine.connected,
            lambda one:
                one.connective = 'or'
                and len(list_filter(
                    together.connected,
                    lambda other:
                        other.connective = 'and' and other.first = one.first and other.second = one.second
                )) > 0
                and not list_contains(together.connected, one)
        ) as loosened,
        list_sort(
            list_filter(my_categories, lambda name: name <> 'window' and not list_contains(their_categories, name))
        ) as new_categories,
        list_filter(
            mine.conditions,
            lambda one: len(list_filter(together.conditions, lambda other: other.skeleton = one.skeleton)) > 0
        ) as shared_conditions,
        list_distinct(list_filter(mine.logic_ids, lambda item: not list_contains(together.item_ids, item)))
            as new_logic,
        list_filter(mine.windows, lambda name: not list_contains(together.windows, name)) as new_windows,
        list_filter(
            mine.unlimited_orders,
            lambda place: place = 'inner' or not regexp_matches(wording, {{ order_words }})
        ) as idle_orders,
        list_concat(mine.unused_joins, mine.unused_ctes) as unused,
    from side_by_side

),

listed as (

    select
        task_run_id,
        benchmark,
        draft_number,
        revision,
        unnest([
            struct_pack(
                check_name := 'one_read',
                is_passed := is_shaped,
                finding := concat_ws(': ', mine.reason, mine.detail)
            ),
            struct_pack(
                check_name := 'originals_taken',
                is_passed :=
                    len(used_numbers) = len(used_query_ids)
                    and len(used_query_ids) between least['originals_taken'] and most['originals_taken'],
                finding := if(
                    len(used_numbers) = len(used_query_ids),
                    concat(len(used_query_ids), ' were taken'),
                    concat('there are no queries with some of the numbers ', used_numbers::varchar)
                )
            ),
            struct_pack(
                check_name := 'originals_dissimilar',
                is_passed := if(is_compared, most_alike <= most['originals_dissimilar'], null),
                finding := concat('two of them share ', round(100 * most_alike)::integer, '% of their components')
            ),
            struct_pack(
                check_name := 'originals_used',
                is_passed := if(is_compared, len(coalesce(together.unshared_ids, [])) = 0, null),
                finding := concat(
                    'nothing is taken from query ',
                    array_to_string(list_filter(
                        used_numbers,
                        lambda number: list_contains(together.unshared_ids, offered_ids[number])
                    ), ', ')
                )
            ),
            struct_pack(
                check_name := 'new_logic',
                is_passed := if(is_compared, len(new_logic) >= least['new_logic'], null),
                finding := 'every calculation, condition and grouping is in the originals'
            ),
            struct_pack(
                check_name := 'literals_tweaked',
                is_passed := if(
                    is_compared,
                    len(shared_conditions) = 0
                    or len(list_filter(shared_conditions, lambda one: not list_contains(together.conditions, one))) > 0,
                    null
                ),
                finding := 'every condition that is shared has the very values of the originals'
            ),
            struct_pack(
                check_name := 'runs',
                is_passed := results.outcome = 'answered',
                finding := results.feedback
            ),
            struct_pack(
                check_name := 'rows_returned',
                is_passed := if(has_result, results.n_rows >= least['rows_returned'], null),
                finding := 'it returns no rows'
            ),
            struct_pack(
                check_name := 'not_all_empty',
                is_passed := if(has_rows, results.n_filled_cells > 0, null),
                finding := 'every cell of the result is NULL or zero'
            ),
            struct_pack(
                check_name := 'single_row_filled',
                is_passed := if(
                    has_rows, results.n_rows <> 1 or results.n_filled_cells = results.n_cells, null
                ),
                finding := 'the only row has a cell that is NULL or zero'
            ),
            struct_pack(
                check_name := 'long_enough',
                is_passed := if(is_shaped, mine.n_lines >= least['long_enough'], null),
                finding := concat('laid out, it has ', mine.n_lines, ' lines: too few')
            ),
            struct_pack(
                check_name := 'short_enough',
                is_passed := if(is_shaped, mine.n_lines <= most['short_enough'], null),
                finding := concat(
                    'laid out, it has ', mine.n_lines, ' lines; at most ', most['short_enough']::integer, ' are allowed'
                )
            ),
            struct_pack(
                check_name := 'joined_tables',
                is_passed := if(is_compared, mine.n_joined_tables <= together.n_joined_tables, null),
                finding := concat(
                    'a FROM has ', mine.n_joined_tables, ' tables; that of no original has more than ',
                    together.n_joined_tables
                )
            ),
            struct_pack(
                check_name := 'join_chain',
                is_passed := if(is_shaped, mine.longest_join_chain <= most['join_chain'], null),
                finding := concat('a FROM has ', mine.longest_join_chain, ' joins in a row')
            ),
            struct_pack(
                check_name := 'join_modes',
                is_passed := if(is_compared, len(changed_joins) = 0, null),
                finding := concat(
                    'not as in the originals: ',
                    array_to_string(
                        list_transform(changed_joins, lambda one: concat(one.pair, ' (', one.mode, ' join)')), '; '
                    )
                )
            ),
            struct_pack(
                check_name := 'case_kept',
                is_passed := if(is_compared, len(changed_cases) = 0, null),
                finding := concat(
                    'another result than in the originals: ',
                    array_to_string(
                        list_transform(
                            changed_cases, lambda one: concat('when ', one.condition, ' then ', one.result)
                        ),
                        '; '
                    )
                )
            ),
            struct_pack(
                check_name := 'distinct_kept',
                is_passed := if(is_compared, len(plain_aggregates) = 0, null),
                finding := concat(
                    'without the DISTINCT of the originals: ',
                    array_to_string(
                        list_transform(plain_aggregates, lambda one: concat(one.name, '(', one.argument, ')')), '; '
                    )
                )
            ),
            struct_pack(
                check_name := 'and_kept',
                is_passed := if(
                    is_compared, len(loosened) = 0 or regexp_matches(wording, {{ or_words }}), null
                ),
                finding := concat(
                    'joined by OR, in the originals by AND: ',
                    array_to_string(
                        list_transform(loosened, lambda one: concat(one.first, ', ', one.second)), '; '
                    )
                )
            ),
            struct_pack(
                check_name := 'function_categories',
                is_passed := if(is_compared, len(new_categories) = 0, null),
                finding := concat('functions that no original has: ', array_to_string(new_categories, ', '))
            ),
            struct_pack(
                check_name := 'windows',
                is_passed := if(
                    is_compared, len(new_windows) = 0 or regexp_matches(wording, {{ rank_words }}), null
                ),
                finding := concat('window functions that no original has: ', array_to_string(new_windows, ', '))
            ),
            struct_pack(
                check_name := 'order_asked',
                is_passed := if(is_shaped, len(idle_orders) = 0, null),
                finding := 'an ORDER BY has no LIMIT, and the question asks for no order'
            ),
            struct_pack(
                check_name := 'nothing_unused',
                is_passed := if(is_shaped, len(unused) = 0, null),
                finding := concat('joined or defined, and not used: ', array_to_string(unused, ', '))
            ),
        ], max_depth := 2),
    from faults

),

ruled as (

    select
        listed.task_run_id,
        listed.benchmark,
        listed.draft_number,
        listed.revision,
        listed.check_name,
        rules.position,
        rules.severity,
        listed.is_passed,
        case when not listed.is_passed then listed.finding end as finding,
    from listed
    inner join rules on listed.check_name = rules.check_name

)

select * from ruled
