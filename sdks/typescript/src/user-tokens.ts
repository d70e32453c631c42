import { refreshTokens } from './oauth.js';
import type { App, Tokens } from './types.js';

export interface TokenHandlers {
  /** Called with each new pair; stores it before any request uses it. The previous refresh token no longer works. */
  readonly onTokens?: (tokens: Tokens) => void | Promise<void>;
  /** Returns the stored pair. Called before a refresh, because another process may have refreshed already. */
  readonly loadTokens?: () => Promise<Tokens>;
}

/** The current tokens of one user. However many calls find the access token expired, it is refreshed once. */
export class UserTokens {
  #current: Tokens;
  #refreshing: Promise<void> | null = null;

  constructor(
    private readonly app: App,
    tokens: Tokens,
    private readonly handlers: TokenHandlers,
  ) {
    this.#current = tokens;
  }

  get current(): Tokens {
    return this.#current;
  }

  /** Returns the access token, after a refresh that is in progress. Errors: those of the refresh. */
  async accessToken(): Promise<string> {
    await this.#refreshing;
    return this.#current.accessToken;
  }

  /** Replaces an access token that was rejected. Returns false if there is no refresh token. Errors: those of `refreshTokens` and of the handlers. */
  async replace(rejected: string): Promise<boolean> {
    if (this.#refreshing === null && this.#current.accessToken !== rejected) return true;
    if (this.#current.refreshToken === undefined) return false;
    this.#refreshing ??= this.#refresh(rejected).finally(() => {
      this.#refreshing = null;
    });
    await this.#refreshing;
    return true;
  }

  async #refresh(rejected: string): Promise<void> {
    const stored = (await this.handlers.loadTokens?.()) ?? this.#current;
    const isReplaced = stored.accessToken !== rejected;
    if (isReplaced || stored.refreshToken === undefined) {
      this.#current = stored;
      return;
    }
    this.#current = await refreshTokens(this.app, stored.refreshToken);
    await this.handlers.onTokens?.(this.#current);
  }
}
