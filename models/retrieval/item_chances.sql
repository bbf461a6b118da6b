with

settings as (

    select * from {{ ref('evalhouse_settings') }}

),

votes as (

    select
        *,
        sum(weight) over (partition by task_set, question_id, encoder, uses_questions) as total_weight,
    from {{ ref('script_votes') }}

),

similarities as (

    select * from {{ ref('script_similarities') }}

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

components as (

    select * from {{ ref('script_components') }}

),

held as (

    select distinct
        components.history,
        components.db_id,
        components.history_query_id,
        components.item_id,
        components.knowledge_type,
        scripts.known_since,
    from components
    inner join scripts
        on components.history = scripts.history
        and components.history_query_id = scripts.history_query_id

),

holders as (

    select
        history,
        db_id,
        item_id,
        count(*) as n_holders,
        list(known_since) as known_since,
    from held
    group by history, db_id, item_id

),

pools as (

    select
        task_set,
        question_id,
        encoder,
        count(*) as n_scripts,
    from similarities
    group by task_set, question_id, encoder

),

voted as (

    select
        votes.task_set,
        votes.question_id,
        votes.encoder,
        votes.uses_questions,
        votes.history,
        votes.db_id,
        held.item_id,
        any_value(held.knowledge_type) as knowledge_type,
        round(sum(votes.weight)::double / any_value(votes.total_weight)::double, 9) as vote,
    from votes
    inner join held
        on votes.history = held.history
        and votes.history_query_id = held.history_query_id
    group by
        votes.task_set,
        votes.question_id,
        votes.encoder,
        votes.uses_questions,
        votes.history,
        votes.db_id,
        held.item_id

),

shares as (

    -- Of the scripts that may be retrieved: the task's own query does not count.
    select
        voted.*,
        round((
            if(
                tasks.asked_at is null,
                holders.n_holders,
                len(list_filter(
                    holders.known_since,
                    lambda known_since: coalesce(known_since < tasks.asked_at, true)
                ))
            ) - if(own.item_id is not null and coalesce(own.known_since < tasks.asked_at, true), 1, 0)
        ) / pools.n_scripts, 9) as pool_share,
    from voted
    inner join tasks
        on voted.task_set = tasks.task_set
        and voted.question_id = tasks.question_id
    inner join holders
        on voted.history = holders.history
        and voted.db_id = holders.db_id
        and voted.item_id = holders.item_id
    inner join pools
        on voted.task_set = pools.task_set
        and voted.question_id = pools.question_id
        and voted.encoder = pools.encoder
    left join held as own
        on tasks.history = own.history
        and tasks.own_query_id = own.history_query_id
        and voted.item_id = own.item_id

),

agreements as (

    -- How much of a script's conditions and relations, the rare more than the common, the others vote for.
    select
        votes.task_set,
        votes.question_id,
        votes.encoder,
        votes.uses_questions,
        votes.history,
        votes.db_id,
        votes.history_query_id,
        any_value(votes.weight) as weight,
        coalesce(
            sum((shares.vote * (1 - shares.pool_share))::decimal(18, 9))::double
            / nullif(sum((1 - shares.pool_share)::decimal(18, 9))::double, 0),
            0
        ) as agreement,
    from votes
    left join held
        on votes.history = held.history
        and votes.history_query_id = held.history_query_id
        and held.knowledge_type in ('condition', 'relation')
    left join shares
        on votes.task_set = shares.task_set
        and votes.question_id = shares.question_id
        and votes.encoder = shares.encoder
        and votes.uses_questions = shares.uses_questions
        and held.item_id = shares.item_id
    group by
        votes.task_set,
        votes.question_id,
        votes.encoder,
        votes.uses_questions,
        votes.history,
        votes.db_id,
        votes.history_query_id

),

agreed as (

    select
        agreements.task_set,
        agreements.question_id,
        agreements.encoder,
        agreements.uses_questions,
        agreements.history,
        agreements.history_query_id,
        (agreements.weight::double * exp(settings.agreement_weight * agreements.agreement))::decimal(18, 9) as agreed_weight,
        sum(agreed_weight) over (
            partition by agreements.task_set, agreements.question_id, agreements.encoder, agreements.uses_questions
        ) as total_weight,
    from agreements
    inner join settings
        on agreements.task_set = settings.task_set
        and agreements.db_id = settings.db_id
        and agreements.uses_questions = settings.uses_questions

),

agreed_votes as (

    select
        agreed.task_set,
        agreed.question_id,
        agreed.encoder,
        agreed.uses_questions,
        held.item_id,
        sum(agreed.agreed_weight)::double / any_value(agreed.total_weight)::double as vote,
    from agreed
    inner join held
        on agreed.history = held.history
        and agreed.history_query_id = held.history_query_id
    group by
        agreed.task_set,
        agreed.question_id,
        agreed.encoder,
        agreed.uses_questions,
        held.item_id

),

chances as (

    select
        shares.task_set,
        shares.question_id,
        shares.encoder,
        shares.uses_questions,
        shares.history,
        shares.db_id,
        shares.item_id,
        shares.knowledge_type,
        shares.vote,
        shares.pool_share,
        round(agreed_votes.vote * (1 - settings.generic_discount * shares.pool_share), 9) as chance,
        settings.break_even_chance,
    from shares
    inner join agreed_votes
        on shares.task_set = agreed_votes.task_set
        and shares.question_id = agreed_votes.question_id
        and shares.encoder = agreed_votes.encoder
        and shares.uses_questions = agreed_votes.uses_questions
        and shares.item_id = agreed_votes.item_id
    inner join settings
        on shares.task_set = settings.task_set
        and shares.db_id = settings.db_id
        and shares.uses_questions = settings.uses_questions

),

scored as (

    -- On the scale of the thresholds: 0.5 without a vote, 0.7 where an item begins to be worth its place, 1 if certain.
    select
        * exclude (break_even_chance),
        round(0.5 + 0.5 * chance ** (ln(0.4) / ln(break_even_chance)), 6) as score,
    from chances

)

select * from scored
