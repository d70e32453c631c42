with settled as (
  select * from {{ source('settle', 'payments') }} where status = 'settled'
),
active as (
  select payer_user_id as user_id, ended_at::date as day from settled
  union
  select payee_user_id, ended_at::date from settled
),
days as (
  select unnest(generate_series(min(day), max(day), interval 1 day))::date as day from active
)
select
  days.day,
  count(distinct user_id) filter (active.day = days.day) as daily,
  count(distinct user_id) filter (active.day > days.day - 7) as weekly,
  count(distinct user_id) as monthly
from days
left join active on active.day between days.day - 27 and days.day
group by days.day
order by days.day
