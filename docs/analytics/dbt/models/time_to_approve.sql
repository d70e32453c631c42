select
  date_trunc('week', created_at)::date as week,
  count(*) as approved,
  median(epoch(ended_at - created_at)) as median_seconds,
  quantile_cont(epoch(ended_at - created_at), 0.9) as p90_seconds
from {{ source('settle', 'payments') }}
where mode = 'request' and status = 'settled'
group by week
order by week
