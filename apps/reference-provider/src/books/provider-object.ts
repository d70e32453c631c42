import type { ProviderNextAction, ProviderSource } from '@settle/provider-api';
import { findCard } from '../cards/cards.js';
import { CURRENCY, type BookObject, type ProviderObject } from './book-object.js';

/**
 * Returns an object of the books as the interface shows it.
 * @param pagesUrl where users reach the pages, without a slash at the end
 */
export function toProviderObject(object: BookObject, pagesUrl: string): ProviderObject {
  const { key, id, kind, state, version } = object;
  const common = {
    ...{ id, version },
    created_at: object.createdAt.toISOString(),
    updated_at: object.updatedAt.toISOString(),
    live: false,
  };
  const money = { amount: object.amountCents ?? 0, currency: CURRENCY };
  const outcome = { code: object.code, next_action: nextActionOf(object, pagesUrl) };
  const chargeKey = { charge_key: object.chargeKey ?? '' };
  switch (kind) {
    case 'reversal':
      return { kind, state, ...chargeKey, ...money, ...common } as ProviderObject;
    case 'repayment':
      return { key, kind, state, ...chargeKey, ...money, ...outcome, ...common } as ProviderObject;
    case 'charge':
    case 'payout':
      return { key, kind, state, ...money, ...outcome, ...common } as ProviderObject;
    case 'source':
      return { ...toSource(object), next_action: outcome.next_action, ...common };
  }
}

function toSource({ key, state, source }: BookObject) {
  const card = findCard(source?.cardNumber ?? '');
  const isActive = state === 'active' && source !== null && card !== null;
  return {
    key,
    kind: 'source' as const,
    state: state as ProviderSource['state'],
    can_charge: isActive && source.wantsCharges,
    can_payout: isActive && source.wantsPayouts,
    owner_match: card?.ownerMatch ?? false,
    fingerprint: source?.fingerprint ?? null,
    brand: card === null ? null : 'Visa',
    last4: card?.number.slice(-4) ?? null,
  };
}

function nextActionOf({ kind, id, actionExpiresAt }: BookObject, pagesUrl: string): ProviderNextAction | null {
  if (actionExpiresAt === null) return null;
  const page = kind === 'source' ? 'cards' : 'actions';
  return { url: `${pagesUrl}/${page}/${id}`, expires_at: actionExpiresAt.toISOString() };
}
