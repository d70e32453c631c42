-- A charge of a user who is trusted settles at once; every other one asks its payer.
with charges as (
  select
    case
      when mode = 'trusted' then 'trusted'
      when status = 'settled' then 'approved'
      when reason = 'denied' then 'denied'
      else status
    end as outcome
  from {{ source('settle', 'payments') }}
  where action = 'charge'
),
stages as (
  select 'charged' as stage, count(*) as charges from charges
  union all
  select 'asked', count(*) from charges where outcome <> 'trusted'
  union all
  select outcome, count(*) from charges group by outcome
)
select stage, charges, charges / max(charges) over () as share
from stages
where charges > 0
order by
  list_position(['charged', 'trusted', 'asked', 'approved', 'denied', 'cancelled', 'expired', 'failed', 'pending'], stage)
