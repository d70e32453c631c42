import { promql, type Alarm } from './alarm.js';

const PROVIDER = 'operations.md#payment-provider';
const LINES = 'operations.md#other-warnings-and-errors';

/** Alarms of the payment provider's queue, callbacks and list of changes. */
export const PROVIDER_ALARMS: readonly Alarm[] = [
  {
    name: 'SettleProviderSlow',
    expr: promql`${'providerRequestsInProgress'}{state="waiting"} > 0`,
    forMinutes: 1,
    severity: 'ticket',
    summary: 'Requests of {{ $labels.instance }} wait for a free slot to the payment provider.',
    description: 'The provider is slow: compare its latency with what it promises.',
    runbook: PROVIDER,
    fires: { [promql`${'providerRequestsInProgress'}{state="waiting"}`]: '2x60' },
    quiet: {
      [promql`${'providerRequestsInProgress'}{state="running"}`]: '10x60',
      [promql`${'providerRequestsInProgress'}{state="waiting"}`]: '0x60',
    },
  },
  {
    name: 'SettleCallbacksForged',
    expr: promql`sum(increase(${'providerCallbacks'}{outcome="forged"}[10m])) > 0`,
    forMinutes: 0,
    severity: 'ticket',
    summary: 'Callbacks without a valid signature were refused.',
    description:
      'Compare the secrets and the clocks of both sides. If they agree, an attacker guesses. Nothing is missed: changes are read every minute.',
    runbook: LINES,
    fires: { [promql`${'providerCallbacks'}{outcome="forged"}`]: '0x55 1x5' },
    quiet: { [promql`${'providerCallbacks'}{outcome="repeated"}`]: '0+1x60' },
  },
  {
    name: 'SettleCallbacksNotStored',
    expr: promql`sum(increase(${'providerCallbacks'}{outcome="failed"}[10m])) > 0`,
    forMinutes: 0,
    severity: 'ticket',
    summary: 'Callbacks of the payment provider could not be stored.',
    description: 'Look at the database of payments-service. The list of changes has them, too.',
    runbook: LINES,
    fires: { [promql`${'providerCallbacks'}{outcome="failed"}`]: '0x55 1x5' },
    quiet: { [promql`${'providerCallbacks'}{outcome="stored"}`]: '0+1x60' },
  },
  {
    name: 'SettleProviderChangesBehind',
    expr: promql`min(${'providerChangesBehindSeconds'}) > 300`,
    forMinutes: 0,
    severity: 'page',
    summary: 'Changes at the payment provider have not been applied for five minutes.',
    description:
      'Look for `changes of the provider not applied` in the log. Money that moved there is not in the ledger yet.',
    runbook: PROVIDER,
    fires: { [promql`${'providerChangesBehindSeconds'}`]: '0+60x60' },
    quiet: { [promql`${'providerChangesBehindSeconds'}`]: '60x60' },
  },
  {
    name: 'SettleProviderChangesNotRead',
    expr: promql`max(max_over_time(${'providerChangesBehindSeconds'}[6h])) unless max(${'providerChangesBehindSeconds'})`,
    forMinutes: 5,
    severity: 'page',
    summary: "No instance reads the payment provider's list of changes any more.",
    description:
      'Look whether payments-service runs with FUNDING_PROVIDER_URL, and at its log. Six hours after the last reading this alarm ends.',
    runbook: PROVIDER,
    fires: { [promql`${'providerChangesBehindSeconds'}`]: '30x30 _x30' },
    quiet: { [promql`${'providerChangesBehindSeconds'}`]: '30x60' },
  },
  {
    name: 'SettleCallbacksWait',
    expr: promql`max(${'providerHintsUnhandled'}) > 100`,
    forMinutes: 5,
    severity: 'ticket',
    summary: 'Stored callbacks of the payment provider are not applied.',
    description:
      'The provider does not answer, or sends callbacks faster than they are applied: look for `callbacks of the provider not applied`.',
    runbook: LINES,
    fires: { [promql`${'providerHintsUnhandled'}`]: '500x60' },
    quiet: { [promql`${'providerHintsUnhandled'}`]: '20x60' },
  },
];
