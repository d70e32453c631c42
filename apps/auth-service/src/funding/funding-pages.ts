import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LIMITS, type Settings } from '@settle/config';
import {
  SettleError,
  getAccount,
  getFunding,
  type Account,
  type ErrorCode,
  type FundingOverview,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { page, type PageResponse } from '../http/page-response.js';
import { listProviderSources } from '../http/provider-pages.js';
import { SETTINGS } from '../injection/providers.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { NO_PROVIDER, describeRefusal } from './funding-texts.js';
import { buildMoneyView } from './money-view.js';
import { renderMoney, type MoneyPage, type MoneySection, type TypedMoney } from './money.page.js';

/** A form that was refused. */
export interface RefusedForm {
  readonly section: MoneySection;
  readonly error: SettleError;
  /** Shown instead of the text of the error. */
  readonly message?: string;
  readonly typed?: TypedMoney;
  /** The id of the form, which is kept if the request may have been executed. */
  readonly id?: string;
}

/** A user's money from and to the outside, and the source of payments above the balance. */
export interface LoadedFunding {
  readonly overview: FundingOverview;
  readonly paymentSource: Account['fundingSource'];
}

/** With these the same form can be sent again. */
const REPEATABLE: ReadonlySet<ErrorCode> = new Set(['outcome_unknown', 'service_unavailable']);

/** Loads and renders the page about money between a wallet and the outside. */
@Injectable()
export class FundingPages {
  constructor(
    private readonly client: MessageClient,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param beforeUs only items before this time in microseconds since 1970; null: the newest. Error: `service_unavailable`. */
  async load({ userId }: SignedInUser, beforeUs: number | null = null): Promise<LoadedFunding> {
    const options = { key: userId, timeoutMs: LIMITS.auth.fundingReadMs };
    const limit = LIMITS.auth.fundingItemsShown;
    const [overview, account] = await Promise.all([
      this.client.request(getFunding, { userId, beforeUs, limit }, options),
      this.client.request(getAccount, { userId }, options),
    ]).catch((error: unknown) => {
      if (!(error instanceof SettleError) || error.code !== 'outcome_unknown') throw error;
      throw new SettleError('service_unavailable', 'The server did not respond in time. Reload this page in a moment.');
    });
    return { overview, paymentSource: account.fundingSource };
  }

  /** Returns the page with a provider. */
  render(
    user: SignedInUser,
    { overview, paymentSource }: LoadedFunding,
    content: Partial<MoneyPage> & { readonly done?: unknown; readonly status?: number } = {},
  ): PageResponse {
    const { status = 200, ...rest } = content;
    const { funding } = this.settings;
    const view = buildMoneyView({ overview, paymentSource, pageOrigins: funding.pageOrigins, nowMs: Date.now() });
    const html = renderMoney(user, { view, ids: createIds(), ...rest });
    return page(html, { status, formSources: listProviderSources(funding.pageOrigins) });
  }

  /**
   * Returns the page with the reason for which a form was refused, and what was entered. Throws that error if the page
   * cannot be loaded, or it is a bug.
   */
  async refuse(
    user: SignedInUser,
    { section, error, message = describeRefusal(error), typed = {}, id }: RefusedForm,
  ): Promise<PageResponse> {
    if (error.code === 'internal_error') throw error;
    const funding = await this.load(user).catch(() => {
      throw error;
    });
    if (!funding.overview.isAvailable) throw new SettleError('service_unavailable', NO_PROVIDER);
    const isAmount = error.code === 'invalid_request' && typed.amount !== undefined;
    const fault = { section, message, isAmount, typed };
    const isKept = id !== undefined && REPEATABLE.has(error.code);
    const ids = { ...createIds(), ...(isKept && { [section]: id }) };
    return this.render(user, funding, { fault, ids, status: error.status });
  }
}

function createIds(): MoneyPage['ids'] {
  return { source: `src-${randomUUID()}`, deposit: randomUUID(), withdrawal: randomUUID(), change: randomUUID() };
}
