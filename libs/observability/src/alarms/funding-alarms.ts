import { promql, type Alarm } from './alarm.js';

const PROVIDER = 'operations.md#payment-provider';
const WAITS = 'operations.md#what-waits-and-what-to-do';
const LINES = 'operations.md#other-warnings-and-errors';

/** Alarms of money from and to the outside. */
export const FUNDING_ALARMS: readonly Alarm[] = [
  {
    name: 'SettleFundingContradiction',
    expr: promql`max by (environment) (${'fundingPending'}{kind="contradiction"}) > 0`,
    forMinutes: 0,
    severity: 'page',
    summary: 'The payment provider contradicts the ledger ({{ $labels.environment }}). No money was moved.',
    description: '`npm run funding -- pending` lists each with its reason: compare it with the books of the provider.',
    runbook: PROVIDER,
    fires: { [promql`${'fundingPending'}{environment="live",kind="contradiction",waits_for="review"}`]: '1x60' },
    quiet: {
      [promql`${'fundingPending'}{environment="live",kind="contradiction",waits_for="review"}`]: '0x60',
      [promql`${'fundingPending'}{environment="live",kind="withdrawal",waits_for="review"}`]: '3x60',
    },
  },
  {
    name: 'SettleFundingReviewLong',
    expr: promql`max by (environment, kind) (${'fundingPendingSeconds'}{waits_for="review"}) > 86400`,
    forMinutes: 10,
    severity: 'ticket',
    summary: 'A {{ $labels.kind }} has waited for an operator for more than a day.',
    description: '`npm run funding -- pending` lists it: approve or refuse it, or close the contradiction.',
    runbook: WAITS,
    fires: {
      [promql`${'fundingPendingSeconds'}{environment="live",kind="withdrawal",waits_for="review"}`]: '90000+60x60',
    },
    quiet: {
      [promql`${'fundingPendingSeconds'}{environment="live",kind="withdrawal",waits_for="review"}`]: '600+60x60',
    },
  },
  {
    name: 'SettleFundingReviewMany',
    expr: promql`sum by (environment) (${'fundingPending'}{waits_for="review"}) > 50`,
    forMinutes: 10,
    severity: 'ticket',
    summary: 'More money waits for operators than they decide in a day.',
    description:
      'Decide what `npm run funding -- pending` lists, or raise WITHDRAW_REVIEW. Replace 50 by what your operators decide in a day.',
    runbook: WAITS,
    fires: { [promql`${'fundingPending'}{environment="live",kind="withdrawal",waits_for="review"}`]: '80x60' },
    quiet: { [promql`${'fundingPending'}{environment="live",kind="withdrawal",waits_for="review"}`]: '20x60' },
  },
  {
    name: 'SettleFundingUndecided',
    expr: promql`max by (environment, kind) (${'fundingPendingSeconds'}{waits_for="provider"}) > 86400`,
    forMinutes: 10,
    severity: 'ticket',
    summary: 'A {{ $labels.kind }} has waited for the payment provider for more than a day.',
    description: 'If the provider is available, `npm run funding -- ask <key>`; then ask the support of the provider.',
    runbook: WAITS,
    fires: {
      [promql`${'fundingPendingSeconds'}{environment="live",kind="deposit",waits_for="provider"}`]: '90000+60x60',
    },
    quiet: {
      [promql`${'fundingPendingSeconds'}{environment="live",kind="deposit",waits_for="provider"}`]: '600+60x60',
    },
  },
  {
    name: 'SettleFundingUnfinished',
    expr: promql`max by (environment, kind) (${'fundingPendingSeconds'}{waits_for="finish"}) > 300`,
    forMinutes: 1,
    severity: 'page',
    summary: 'The worker does not finish a {{ $labels.kind }} ({{ $labels.environment }}).',
    description: 'Look whether payments-service runs and logs `funding not advanced`. Nothing is lost.',
    runbook: WAITS,
    fires: { [promql`${'fundingPendingSeconds'}{environment="live",kind="deposit",waits_for="finish"}`]: '0+60x60' },
    quiet: { [promql`${'fundingPendingSeconds'}{environment="live",kind="deposit",waits_for="finish"}`]: '30x60' },
  },
  {
    name: 'SettleBalancesFallBelowZero',
    expr: promql`max by (environment) (delta(${'moneyBelowZero'}[1d])) < -100000`,
    forMinutes: 5,
    severity: 'ticket',
    summary: 'Disputes and chargebacks took back 1,000.00 that users had spent, within a day.',
    description:
      'Look for a pattern in the reversals and answer the disputes at the provider. Replace 100000 cents by what you expect to lose in a day.',
    runbook: WAITS,
    fires: { [promql`${'moneyBelowZero'}{environment="live"}`]: '0-5000x60' },
    quiet: { [promql`${'moneyBelowZero'}{environment="live"}`]: '-900000-10x60' },
  },
  {
    name: 'SettleProviderUnavailable',
    expr: promql`sum(rate(${'providerRequestSeconds'}_count{outcome="failed"}[5m])) / sum(rate(${'providerRequestSeconds'}_count[5m])) > 0.05`,
    forMinutes: 5,
    severity: 'page',
    summary: 'More than 5 % of the requests to the payment provider fail.',
    description:
      'Look at the status page of the provider and at FUNDING_PROVIDER_URL. Payments stay pending; nothing is lost.',
    runbook: PROVIDER,
    fires: {
      [promql`${'providerRequestSeconds'}_count{operation="charge",outcome="ok"}`]: '0+90x60',
      [promql`${'providerRequestSeconds'}_count{operation="charge",outcome="failed"}`]: '0+10x60',
    },
    quiet: {
      [promql`${'providerRequestSeconds'}_count{operation="charge",outcome="ok"}`]: '0+99x60',
      [promql`${'providerRequestSeconds'}_count{operation="charge",outcome="failed"}`]: '0+1x60',
    },
  },
  {
    name: 'SettleProviderAnswersWrong',
    // The first such answer of a process begins its series, which does not count as an increase.
    expr: promql`sum by (operation, outcome) (increase(${'providerRequestSeconds'}_count{outcome=~"conflict|unreadable"}[10m])) > 0 or sum by (operation, outcome) (${'providerRequestSeconds'}_count{outcome=~"conflict|unreadable"} unless ${'providerRequestSeconds'}_count{outcome=~"conflict|unreadable"} offset 10m)`,
    forMinutes: 0,
    severity: 'ticket',
    summary: 'The provider has other content under a key, or breaks the interface ({{ $labels.outcome }}).',
    description:
      'Read the log, and report it to the team of the provider. No money moves for that key until both agree.',
    runbook: LINES,
    fires: { [promql`${'providerRequestSeconds'}_count{operation="charge",outcome="conflict"}`]: '_x55 1x5' },
    quiet: {
      [promql`${'providerRequestSeconds'}_count{operation="charge",outcome="conflict"}`]: '_x20 1x40',
      [promql`${'providerRequestSeconds'}_count{operation="charge",outcome="missing"}`]: '0+1x60',
    },
  },
];
