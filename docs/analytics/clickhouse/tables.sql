-- The records of the public topics, each once: a record that comes again has the same position, and one of a newer epoch wins.
create table records (
  topic LowCardinality(String),
  epoch UInt32,
  position UInt64,
  key String,
  time DateTime64(6, 'UTC'),
  type LowCardinality(String),
  data String
) engine = ReplacingMergeTree(epoch) order by (topic, position);

create view events as
select topic, position, key, time, type, data
from records final
where (topic, epoch) in (select topic, max(epoch) from records group by topic);

create view entries as
select
  position,
  time,
  JSONExtractString(data, 'movement') as movement,
  JSONExtractString(data, 'debitAccount') as debit_account,
  JSONExtractString(data, 'creditAccount') as credit_account,
  JSONExtractInt(data, 'amountCents') as amount_cents,
  JSONExtractString(data, 'currency') as currency,
  JSONExtract(data, 'paymentId', 'Nullable(String)') as payment_id,
  JSONExtract(data, 'fundingId', 'Nullable(String)') as funding_id
from events
where topic = 'ledger.entries.v1';

-- Each payment once, with its end if it has one.
create view payments as
select
  key as payment_id,
  minIf(time, type = 'PaymentCreated') as created_at,
  anyIf(JSONExtractString(data, 'action'), type = 'PaymentCreated') as action,
  anyIf(JSONExtractString(data, 'mode'), type = 'PaymentCreated') as mode,
  anyIf(JSONExtractString(data, 'actorUserId'), type = 'PaymentCreated') as actor_user_id,
  argMax(JSONExtract(data, 'targetUserId', 'Nullable(String)'), position) as target_user_id,
  anyIf(JSONExtractInt(data, 'amountCents'), type = 'PaymentCreated') as amount_cents,
  anyIf(JSONExtractInt(data, 'feeCents'), type = 'PaymentCreated') as fee_cents,
  anyIf(JSONExtract(data, 'originalPaymentId', 'Nullable(String)'), type = 'PaymentCreated') as original_payment_id,
  argMax(JSONExtractString(data, 'status'), position) as status,
  maxOrNullIf(time, type <> 'PaymentCreated') as ended_at,
  argMax(JSONExtract(data, 'reason', 'Nullable(String)'), position) as reason
from events
where topic = 'payments.events.v1'
group by key;

create view balances as
select account, currency, sum(cents) as cents
from (
  select debit_account as account, currency, -amount_cents as cents from entries
  union all
  select credit_account, currency, amount_cents from entries
)
group by account, currency;
