-- Gives reports the read models of payments without notes and addresses, and nothing else: no events, no users, no tokens.
-- Run it as a superuser on the database of payments-service, again after each upgrade and each rebuild of read models:
--   psql --dbname settle_payments --set ON_ERROR_STOP=1 --file deploy/postgres/reporting-role.sql
-- Then give the role a password: \password settle_reporting
begin;

do $$
begin
  if not exists (select from pg_roles where rolname = 'settle_reporting') then
    create role settle_reporting login connection limit 5;
  end if;
  execute format('grant connect on database %I to settle_reporting', current_database());
end
$$;

-- A report reads, and ends: one that runs for hours would keep PostgreSQL from removing old rows.
alter role settle_reporting set default_transaction_read_only = on;
alter role settle_reporting set statement_timeout = '5min';
alter role settle_reporting set idle_in_transaction_session_timeout = '1min';

revoke all on all tables in schema public from settle_reporting;
grant usage on schema public to settle_reporting;

grant select (
  id, status, mode, action, amount_cents, fee_cents, audience, medium, actor_id, target_type, target_user_id,
  created_us, completed_us, refund_id, refund_of, app_id
) on public.payments to settle_reporting;
grant select (
  wallet_id, revision, payment_id, event_type, debit_account, credit_account, amount_cents, balance_cents, attempt,
  funding_id, reversal_id, refusal_reason, refusal_code
) on public.ledger_entries to settle_reporting;
grant select (kind, id, user_id, payment_id, amount_cents, status, reason, created_us)
  on public.funding to settle_reporting;
grant select on public.fee_entries, public.payout_entries, public.monthly_activity to settle_reporting;

commit;
