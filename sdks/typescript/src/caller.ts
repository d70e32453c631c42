import { Deadline } from './deadline.js';
import { mayHaveTakenEffect, OutcomeUnknownError, SettleError } from './errors.js';
import { exchange } from './exchange.js';
import { repeat, type RetryLimits } from './repeat.js';
import type { UserTokens } from './user-tokens.js';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path and query below the base address. */
  readonly path: string;
  readonly body?: object;
  /** Sent with every attempt, so that the request is executed once. */
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number | undefined;
}

/** Calls the API with the tokens of a user. */
export class Caller {
  constructor(
    private readonly baseUrl: string,
    private readonly tokens: UserTokens,
    private readonly limits: RetryLimits,
  ) {}

  /**
   * Returns the body of the response, after as many attempts as needed and allowed. Errors: `SettleError` if the request was
   * rejected; `OutcomeUnknownError` if it has an idempotency key and any attempt may have taken effect; `ConnectionError`.
   */
  async send<Body>(call: Call): Promise<Body> {
    const deadline = new Deadline(call.timeoutMs ?? this.limits.timeoutMs);
    let isOutcomeUnknown = false;
    const sendWith = (token: string) =>
      exchange(this.#request(call, token), deadline).catch((error: unknown) => {
        isOutcomeUnknown ||= mayHaveTakenEffect(error);
        throw error;
      });
    try {
      return (await repeat(() => this.#withToken(sendWith, deadline), this.limits.maxAttempts, deadline)) as Body;
    } catch (error) {
      // A later rejection does not show that an earlier attempt had no effect.
      if (isOutcomeUnknown && call.idempotencyKey !== undefined)
        throw new OutcomeUnknownError(call.idempotencyKey, error);
      throw error;
    }
  }

  /** Sends with the access token, and a second time if it was rejected and could be replaced. */
  async #withToken(sendWith: (token: string) => Promise<unknown>, deadline: Deadline): Promise<unknown> {
    const token = await deadline.bound(this.tokens.accessToken());
    try {
      return await sendWith(token);
    } catch (error) {
      const isRejected = error instanceof SettleError && error.status === 401;
      if (!isRejected || !(await deadline.bound(this.tokens.replace(token)))) throw error;
    }
    return sendWith(this.tokens.current.accessToken);
  }

  #request({ method, path, body, idempotencyKey }: Call, token: string) {
    return {
      method,
      url: this.baseUrl + path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
  }
}
