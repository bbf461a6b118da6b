with

settings as (

    select * from {{ ref('evalhouse_settings') }}

),

votes as (

    select * from {{ ref('script_votes') }}

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

searches as (

    -- What is voted on: a task, an encoder and a way to read the history, with what holds for all of its votes.
    select
        counted.*,
        row_number() over (
            order by counted.task_set, counted.question_id, counted.encoder, counted.uses_questions
        ) as search_number,
        tasks.own_query_id,
        tasks.asked_at,
        pools.n_scripts,
        settings.agreement_weight,
        settings.generic_discount,
        settings.break_even_chance,
    from (
        select
            task_set,
            question_id,
            encoder,
            uses_questions,
            history,
            db_id,
            sum(weight) as total_weight,
        from votes
        group by all
    ) as counted
    inner join tasks
        on counted.task_set = tasks.task_set
        and counted.question_id = tasks.question_id
    inner join pools
        on counted.task_set = pools.task_set
        and counted.question_id = pools.question_id
        and counted.encoder = pools.encoder
    inner join settings
        on counted.task_set = settings.task_set
        and counted.db_id = settings.db_id
        and counted.uses_questions = settings.uses_questions

),

voters as (

    select
        searches.search_number,
        searches.history,
        votes.history_query_id,
        votes.weight,
    from votes
    inner join searches
        on votes.task_set = searches.task_set
        and votes.question_id = searches.question_id
        and votes.encoder = searches.encoder
        and votes.uses_questions = searches.uses_questions

),

voted as (

    select
        voters.search_number,
        held.item_id,
        any_value(held.knowledge_type) as knowledge_type,
        round(sum(voters.weight)::double / any_value(searches.total_weight)::double, 9) as vote,
    from voters
    inner join searches on voters.search_number = searches.search_number
    inner join held
        on voters.history = held.history
        and voters.history_query_id = held.history_query_id
    group by voters.search_number, held.item_id

),

shares as (

    -- Of the scripts that may be retrieved: the task's own query does not count.
    select
        voted.*,
        round((
            if(
                searches.asked_at is null,
                holders.n_holders,
                len(list_filter(
                    holders.known_since,
                    lambda known_since: coalesce(known_since < searches.asked_at, true)
                ))
            ) - if(own.item_id is not null and coalesce(own.known_since < searches.asked_at, true), 1, 0)
        ) / searches.n_scripts, 9) as pool_share,
    from voted
    inner join searches on voted.search_number = searches.search_number
    inner join holders
        on searches.history = holders.history
        and searches.db_id = holders.db_id
        and voted.item_id = holders.item_id
    left join held as own
        on searches.history = own.history
        and searches.own_query_id = own.history_query_id
        and voted.item_id = own.item_id

),

agreements as (

    -- How much of a script's conditions and relations, the rare more than the common, the others vote for.
    select
        voters.search_number,
        voters.history,
        voters.history_query_id,
        any_value(voters.weight) as weight,
        coalesce(
            sum((shares.vote * (1 - shares.pool_share))::decimal(18, 9))::double
            / nullif(sum((1 - shares.pool_share)::decimal(18, 9))::double, 0),
            0
        ) as agreement,
    from voters
    left join held
        on voters.history = held.history
        and voters.history_query_id = held.history_query_id
        and held.knowledge_type in ('condition', 'relation')
    left join shares
        on voters.search_number = shares.search_number
        and held.item_id = shares.item_id
    group by voters.search_number, voters.history, voters.history_query_id

),

agreed as (

    select
        agreements.search_number,
        agreements.history,
        agreements.history_query_id,
        (agreements.weight::double * exp(searches.agreement_weight * agreements.agreement))::decimal(18, 9) as agreed_weight,
        sum(agreed_weight) over (partition by agreements.search_number) as total_weight,
    from agreements
    inner join searches on agreements.search_number = searches.search_number

),

agreed_votes as (

    select
        agreed.search_number,
        held.item_id,
        sum(agreed.agreed_weight)::double / any_value(agreed.total_weight)::double as vote,
    from agreed
    inner join held
        on agreed.history = held.history
        and agreed.history_query_id = held.history_query_id
    group by agreed.search_number, held.item_id

),

chances as (

    select
        searches.task_set,
        searches.question_id,
        searches.encoder,
        searches.uses_questions,
        searches.history,
        searches.db_id,
        shares.item_id,
        shares.knowledge_type,
        shares.vote,
        shares.pool_share,
        round(agreed_votes.vote * (1 - searches.generic_discount * shares.pool_share), 9) as chance,
        searches.break_even_chance,
    from shares
    inner join agreed_votes
        on shares.search_number = agreed_votes.search_number
        and shares.item_id = agreed_votes.item_id
    inner join searches on shares.search_number = searches.search_number

),

scored as (

    -- On the scale of the thresholds: 0.5 without a vote, 0.7 where an item begins to be worth its place, 1 if certain.
    select
        * exclude (break_even_chance),
        round(0.5 + 0.5 * chance ** (ln(0.4) / ln(break_even_chance)), 6) as score,
    from chances

)

select * from scored
