import { CURRENCY } from '@settle/contracts';
import { isProviderPage } from '@settle/config';
import type { Logger } from '@settle/observability';
import type {
  ChargeProviderState,
  PayoutProviderState,
  ProviderObject,
  ProviderRequest,
} from '@settle/payments-domain';
import {
  parseProviderInfo,
  timeOfUs,
  type ProviderCharge,
  type ProviderInfo,
  type ProviderNextAction,
  type ProviderSource,
  type SourceRequest,
} from '@settle/provider-api';
import { parseChangesPage, type ChangesPage } from './changes-page.js';
import { PARSERS, PATHS, keyOf, type ObjectOfKind, type ProviderKind } from './provider-objects.js';
import { ProviderRequests } from './provider-requests.js';
import { ProviderTransport, type ProviderMessage, type TransportOptions } from './provider-transport.js';

export interface ProviderClientOptions extends TransportOptions {
  /** Where users may be sent. */
  readonly pageOrigins: readonly string[];
  readonly logger: Logger;
  /** Whether it was found to be the right provider: until then only what it says of itself is read. Absent: it was. */
  readonly isChecked?: () => boolean;
}

interface MoneyCall {
  /** The permanent key. */
  readonly key: string;
  readonly userId: string;
  readonly amountCents: number;
  /** As the event states it that holds the intent. */
  readonly beginBeforeUs: number;
  /** From `providerRequest`. */
  readonly request: ProviderRequest;
}

/** A charge or a payout. */
export type SourceCall = MoneyCall & { readonly sourceId: string };
export type RepaymentCall = MoneyCall & { readonly chargeKey: string };

/** An object as the domain judges it, with what only pages and the table of calls need. */
export type ProviderCallAnswer<State extends string> =
  | (ProviderObject<State> & { readonly version: number; readonly nextAction: ProviderNextAction | null })
  | 'missing'
  | 'unknown';

/**
 * Asks the payment provider. No method rejects: what is late, refused, unreadable or about another key is `unknown`, which
 * decides nothing. `missing` is a 404 in the form of the interface.
 */
export class ProviderClient {
  readonly #transport: ProviderTransport;
  readonly #requests: ProviderRequests;

  constructor(private readonly options: ProviderClientOptions) {
    this.#transport = new ProviderTransport(options);
    this.#requests = new ProviderRequests(this.#transport, options);
  }

  async charge(call: SourceCall): Promise<ProviderCallAnswer<ChargeProviderState>> {
    const { key, request } = call;
    const body = { ...commonBody(call), source_key: call.sourceId };
    if (request.cancels)
      await this.#send('charge', key, { operation: 'cancel', method: 'POST', action: 'cancel', body });
    return this.#toAnswer(await this.#putOrGet('charge', call, body));
  }

  async repay(call: RepaymentCall): Promise<ProviderCallAnswer<PayoutProviderState>> {
    const { chargeKey } = call;
    const found = await this.#putOrGet('repayment', call, { ...commonBody(call), charge_key: chargeKey });
    if (typeof found === 'string' || found.charge_key === chargeKey) return this.#toAnswer(found);
    this.options.logger.error(
      { key: call.key },
      'the provider names another charge of a repayment; asking again later',
    );
    return 'unknown';
  }

  async payout(call: SourceCall): Promise<ProviderCallAnswer<PayoutProviderState>> {
    return this.#toAnswer(await this.#putOrGet('payout', call, { ...commonBody(call), source_key: call.sourceId }));
  }

  /** Reads any object by its key; a reversal by the provider's id. Changes nothing at the provider. */
  read<Kind extends ProviderKind>(kind: Kind, key: string): Promise<ObjectOfKind[Kind] | 'missing' | 'unknown'> {
    return this.#send(kind, key, { operation: kind, method: 'GET' });
  }

  readSource(key: string): Promise<ProviderSource | 'missing' | 'unknown'> {
    return this.#withAllowedPage(this.read('source', key));
  }

  /** Begins a source, or returns the one of this key. `next_action` is the page to which the user is to be sent. */
  beginSource(request: SourceRequest): Promise<ProviderSource | 'missing' | 'unknown'> {
    const { key } = request;
    return this.#withAllowedPage(this.#send('source', key, { operation: 'source', method: 'PUT', body: request }));
  }

  /** Ends a source for good. */
  endSource(key: string): Promise<ProviderSource | 'missing' | 'unknown'> {
    return this.#send('source', key, { operation: 'source', method: 'POST', action: 'end', body: { key } });
  }

  /** Returns the next changes in order, none at the end. @param cursor of the last page; null: from the first change on */
  async changesAfter(cursor: string | null): Promise<ChangesPage | 'unknown'> {
    const query = cursor === null ? '' : `?after=${encodeURIComponent(cursor)}`;
    const message = { operation: 'changes', method: 'GET', path: `/changes${query}`, isMoney: false } as const;
    const found = await this.#requests.send(message, parseChangesPage);
    if (typeof found === 'string') return 'unknown';
    const { unreadable } = found;
    if (unreadable > 0) {
      this.options.logger.error({ unreadable }, 'the list of changes breaks the interface; leaving those changes out');
    }
    return found;
  }

  /** Returns what the provider says of itself. */
  async readProvider(): Promise<ProviderInfo | 'unknown'> {
    const message = { operation: 'provider', method: 'GET', path: '/', isMoney: false } as const;
    const found = await this.#requests.send(message, parseProviderInfo);
    return found === 'missing' ? 'unknown' : found;
  }

  /** Ends requests in progress: their callers get `unknown`. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  #putOrGet<Kind extends 'charge' | 'repayment' | 'payout'>(
    kind: Kind,
    { key, beginBeforeUs, request }: MoneyCall,
    body: object,
  ): Promise<ObjectOfKind[Kind] | 'missing' | 'unknown'> {
    if (request.method === 'get') return this.#send(kind, key, { operation: kind, method: 'GET' });
    const begin_before = timeOfUs(beginBeforeUs);
    return this.#send(kind, key, { operation: kind, method: 'PUT', body: { ...body, begin_before } });
  }

  #send<Kind extends ProviderKind>(
    kind: Kind,
    key: string,
    { action, ...message }: Pick<ProviderMessage, 'operation' | 'method' | 'body'> & { readonly action?: string },
  ): Promise<ObjectOfKind[Kind] | 'missing' | 'unknown'> {
    const end = action === undefined ? '' : `/${action}`;
    const path = `/${PATHS[kind]}/${encodeURIComponent(key)}${end}`;
    const isMoney = kind !== 'source' && kind !== 'reversal';
    return this.#requests.send({ ...message, path, isMoney }, (value) => {
      const object = PARSERS[kind](value);
      return object !== null && keyOf(object) === key ? object : null;
    });
  }

  #toAnswer<State extends string>(
    found: (Omit<ProviderCharge, 'state' | 'kind'> & { readonly state: State }) | 'missing' | 'unknown',
  ): ProviderCallAnswer<State> {
    if (typeof found === 'string') return found;
    const { state, id, amount: amountCents, currency, code, version } = found;
    return { state, id, amountCents, currency, code, version, nextAction: this.#allowed(found.next_action) };
  }

  async #withAllowedPage(
    reading: Promise<ProviderSource | 'missing' | 'unknown'>,
  ): Promise<ProviderSource | 'missing' | 'unknown'> {
    const source = await reading;
    return typeof source === 'string' ? source : { ...source, next_action: this.#allowed(source.next_action) };
  }

  #allowed(action: ProviderNextAction | null): ProviderNextAction | null {
    if (action === null || isProviderPage(action.url, this.options.pageOrigins)) return action;
    this.options.logger.error('the provider names a page that is not in FUNDING_PAGE_ORIGINS; not showing it');
    return null;
  }
}

function commonBody({ key, userId, amountCents }: MoneyCall) {
  return { key, user: userId, amount: amountCents, currency: CURRENCY };
}
