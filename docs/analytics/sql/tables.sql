-- The tables of an analyst, made from the records of the public topics. Times are UTC; amounts are cents.

create or replace table events as
with newest as (select topic, max(epoch) as epoch from extents group by topic)
select topic, position, key, time::timestamp as time, type, data
from records
join newest using (topic, epoch)
join extents using (topic, epoch)
where position <= until_position
order by topic, position;

-- Each payment once, with its end if it has one.
create or replace table payments as
with created as (
  select * from events where topic = 'payments.events.v1' and type = 'PaymentCreated'
),
ended as (
  select * from events where topic = 'payments.events.v1' and type <> 'PaymentCreated'
),
facts as (
  select
    created.data ->> 'paymentId' as payment_id,
    created.position,
    created.time as created_at,
    created.data ->> 'action' as action,
    created.data ->> 'mode' as mode,
    created.data ->> 'actorUserId' as actor_user_id,
    coalesce(ended.data ->> 'targetUserId', created.data ->> 'targetUserId') as target_user_id,
    created.data ->> 'targetType' as target_type,
    (created.data ->> 'amountCents')::bigint as amount_cents,
    (created.data ->> 'feeCents')::bigint as fee_cents,
    coalesce(created.data ->> 'currency', 'USD') as currency,
    created.data ->> 'audience' as audience,
    created.data ->> 'medium' as medium,
    created.data ->> 'appId' as app_id,
    created.data ->> 'originalPaymentId' as original_payment_id,
    coalesce(ended.data ->> 'status', 'pending') as status,
    ended.time as ended_at,
    ended.data ->> 'reason' as reason,
    ended.data ->> 'refundPaymentId' as refund_payment_id
  from created
  left join ended using (key)
)
select
  *,
  case action when 'pay' then actor_user_id else target_user_id end as payer_user_id,
  case action when 'pay' then target_user_id else actor_user_id end as payee_user_id
from facts
order by position;

-- Each movement of money once.
create or replace table entries as
select
  position,
  time,
  data ->> 'movement' as movement,
  data ->> 'debitAccount' as debit_account,
  data ->> 'creditAccount' as credit_account,
  (data ->> 'amountCents')::bigint as amount_cents,
  data ->> 'currency' as currency,
  data ->> 'paymentId' as payment_id,
  data ->> 'fundingId' as funding_id
from events
where topic = 'ledger.entries.v1'
order by position;

-- What each account holds. The sum of all is zero.
create or replace table balances as
with lines as (
  select debit_account as account, currency, -amount_cents as cents from entries
  union all
  select credit_account, currency, amount_cents from entries
)
select account, currency, sum(cents)::bigint as cents
from lines
group by account, currency
order by account;
