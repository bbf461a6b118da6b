{{ config(materialized='table') }}
-- Made last, and only by a build of everything:
-- depends_on: {{ ref('leaderboard') }}
-- depends_on: {{ ref('outcome_reasons') }}

select timestamptz '{{ run_started_at.isoformat() }}' as build_started_at
