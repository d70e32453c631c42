import { PAYMENTS, counter, gauge, histogram } from './metric-row.js';

/** Metrics of money from and to the outside. */
export const FUNDING_METRICS = {
  fundingPending: gauge('settle_funding_pending', {
    labels: ['environment', 'kind', 'waits_for'],
    meaning:
      'Payments, deposits, withdrawals, reversals and contradictions of the provider that wait: for its answer (provider), ' +
      'for an operator (review), or for the worker (finish). Counted up to 10000 of payments and of all others.',
    shownBy: `${PAYMENTS}, the instance that projects`,
    alarm:
      '`kind="contradiction"` above 0: [look at each](operations.md#payment-provider), no money was moved; ' +
      '`waits_for="review"` above what your operators decide in a day; `npm run funding -- pending` lists all',
  }),
  fundingPendingCents: gauge('settle_funding_pending_cents', {
    labels: ['environment', 'kind', 'waits_for'],
    meaning: 'The amounts of the same, together.',
    shownBy: `${PAYMENTS}, the instance that projects`,
  }),
  fundingPendingSeconds: gauge('settle_funding_pending_oldest_seconds', {
    labels: ['environment', 'kind', 'waits_for'],
    meaning: 'How long the oldest of the same has waited; 0 if nothing waits.',
    shownBy: `${PAYMENTS}, the instance that projects`,
    alarm:
      '`waits_for="provider"` above 86400 (a day); `waits_for="finish"` above 300: the worker does not finish it; ' +
      '`waits_for="review"` above 86400: users wait for their money',
  }),
  moneyBelowZero: gauge('settle_money_below_zero_cents', {
    labels: ['environment'],
    meaning:
      'The sum of all balances below zero, zero or negative: money that users spent before a dispute or chargeback took ' +
      'it back.',
    shownBy: `${PAYMENTS}, the instance that projects`,
    alarm: 'falling by more than you expect to lose in a day, or below what you hold in reserve',
  }),
  providerRequestSeconds: histogram('settle_provider_request_duration_seconds', {
    labels: ['operation', 'outcome'],
    meaning:
      'Requests to the payment provider: ok, missing (the key is not known there), conflict (the key has other content), ' +
      'unreadable (an answer that breaks the interface), failed (no answer in time, or an error status).',
    shownBy: PAYMENTS,
    alarm:
      '`outcome="conflict"` or `outcome="unreadable"` growing: read the log; `outcome="failed"` above 5 % for 5 minutes: the provider is unavailable',
  }),
  providerRequestsInProgress: gauge('settle_provider_requests_in_progress', {
    labels: ['state'],
    meaning: 'Requests to the payment provider: running, or waiting for a free slot.',
    shownBy: PAYMENTS,
    alarm: '`state="waiting"` above 0 for a minute: the provider is slow',
  }),
  providerCallbacks: counter('settle_provider_callbacks_total', {
    labels: ['outcome'],
    meaning:
      'Callbacks of the payment provider: stored, repeated (its id was stored before), forged (no valid signature), ' +
      'unreadable or too_large (signed by the provider, against the interface), failed (not stored).',
    shownBy: PAYMENTS,
    alarm:
      '`outcome="forged"` growing: the secrets differ, or someone guesses; `outcome="failed"` growing: see the database',
  }),
  providerChangesBehindSeconds: gauge('settle_provider_changes_behind_seconds', {
    meaning:
      "Time since the payment provider's list of changes was last read to its end and applied. Normally below 61.",
    shownBy: `${PAYMENTS}, the instance that reads the list`,
    alarm: 'above 300, or absent on all instances: read the log; funding that changed meanwhile is not in the ledger',
  }),
  providerHintsUnhandled: gauge('settle_provider_hints_unhandled', {
    meaning: 'Stored callbacks of the payment provider that are not applied yet, counted up to 10000.',
    shownBy: `${PAYMENTS}, the instance that projects`,
    alarm: 'above 100 for 5 minutes: the provider does not answer, or sends callbacks faster than they are applied',
  }),
};
