-- The trial balance: zero.
select sum(cents) as trial_balance from balances;

-- Daily volume.
select toDate(ended_at) as day, count() as payments, sum(amount_cents) as amount_cents, sum(fee_cents) as fee_cents
from payments
where status = 'settled' and original_payment_id is null
group by day
order by day;

-- How long charges waited for their approval.
select
  toMonday(created_at) as week,
  count() as approved,
  quantile(0.5)(dateDiff('microsecond', created_at, ended_at) / 1e6) as median_seconds,
  quantile(0.9)(dateDiff('microsecond', created_at, ended_at) / 1e6) as p90_seconds
from payments
where mode = 'request' and status = 'settled'
group by week
order by week;
