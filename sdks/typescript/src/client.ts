import { Caller } from './caller.js';
import { revokeTokens } from './oauth.js';
import { Payments } from './payments.js';
import type { RetryLimits } from './repeat.js';
import type { App, Me, Tokens } from './types.js';
import { type TokenHandlers, UserTokens } from './user-tokens.js';
import { Users } from './users.js';

export interface SettleClientOptions extends App, TokenHandlers, Partial<RetryLimits> {
  /** The tokens of the user for whom the app acts. */
  readonly tokens: Tokens;
}

const DEFAULT_LIMITS: RetryLimits = { timeoutMs: 30_000, maxAttempts: 6 };

/**
 * Calls the API for one user. A call is repeated after 503, 504 and a missing response, with the same idempotency key, until
 * it succeeds, `maxAttempts` (6) were made or `timeoutMs` (30 s) is over. An access token that is rejected is refreshed once.
 *
 * Errors of every call: `SettleError` if the API rejected it; `OutcomeUnknownError` if a payment, or a change of one, may have
 * taken effect; `ConnectionError` if no response arrived.
 */
export class SettleClient {
  readonly payments: Payments;
  readonly users: Users;
  readonly #app: App;
  readonly #tokens: UserTokens;
  readonly #caller: Caller;

  constructor({ tokens, onTokens, loadTokens, timeoutMs, maxAttempts, ...app }: SettleClientOptions) {
    this.#app = app;
    this.#tokens = new UserTokens(app, tokens, {
      ...(onTokens === undefined ? {} : { onTokens }),
      ...(loadTokens === undefined ? {} : { loadTokens }),
    });
    this.#caller = new Caller(app.baseUrl, this.#tokens, {
      timeoutMs: timeoutMs ?? DEFAULT_LIMITS.timeoutMs,
      maxAttempts: maxAttempts ?? DEFAULT_LIMITS.maxAttempts,
    });
    this.payments = new Payments(this.#caller);
    this.users = new Users(this.#caller);
  }

  /** The current tokens of the user. */
  get tokens(): Tokens {
    return this.#tokens.current;
  }

  /** Returns the user of the tokens and the balance. */
  async me(): Promise<Me> {
    return (await this.#caller.send<{ data: Me }>({ method: 'GET', path: '/me' })).data;
  }

  /** Ends the authorization of the app: all of its tokens for the user are rejected within a second. */
  async revoke(): Promise<void> {
    await revokeTokens(this.#app, this.#tokens.current);
  }
}
