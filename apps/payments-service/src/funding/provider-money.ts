import type { ProviderObject } from '@settle/payments-domain';
import type { ProviderCharge } from '@settle/provider-api';

/** Returns an object of the provider as the domain judges it. */
export function moneyOf<State extends string>({
  state,
  id,
  amount: amountCents,
  currency,
  code,
}: Pick<ProviderCharge, 'id' | 'amount' | 'currency' | 'code'> & { readonly state: State }): ProviderObject<State> {
  return { state, id, amountCents, currency, code };
}
