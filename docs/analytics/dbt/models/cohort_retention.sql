-- The week that is not over yet counts for those alone who are new in it.
with active as (
  select distinct payer_user_id as user_id, date_trunc('week', ended_at)::date as week
  from {{ source('settle', 'payments') }}
  where status = 'settled'
),
first as (
  select user_id, min(week) as cohort_week from active group by user_id
),
counted as (
  select cohort_week, date_diff('week', cohort_week, week) as week_number, count(*) as users
  from active
  join first using (user_id)
  where week = cohort_week or week < (select max(week) from active)
  group by all
)
select *, users / first_value(users) over (partition by cohort_week order by week_number) as share
from counted
order by cohort_week, week_number
