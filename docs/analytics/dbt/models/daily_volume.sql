select
  ended_at::date as day,
  count(*) as payments,
  sum(amount_cents)::bigint as amount_cents,
  sum(fee_cents)::bigint as fee_cents
from {{ source('settle', 'payments') }}
where status = 'settled' and original_payment_id is null
group by day
order by day
