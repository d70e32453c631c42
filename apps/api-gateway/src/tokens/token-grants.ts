import { LIMITS } from '@settle/config';
import type { TokenGrant, TokensRevoked } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { CheckSlots } from './check-slots.js';

interface KeptGrant {
  readonly grant: TokenGrant;
  usedAtMs: number;
}

/** Uses within this time count as one: moving an entry to the end of the map costs time. */
const SAME_USE_MS = 1_000;

interface RunningCheck {
  readonly answer: Promise<TokenGrant>;
  /** Responds to the waiting requests at once, without auth-service. */
  readonly settle: (grant: TokenGrant) => void;
}

/** The request to which a check belongs: its id, its trace and its address. */
export type CheckedRequest = Pick<FastifyRequest, 'id' | 'ip' | 'traceparent'>;

/** Requests the grant of a token by the token's SHA-256 in hex. Rejects with the catalogue's errors. */
export type AskForGrant = (tokenSha256: string, request: CheckedRequest) => Promise<TokenGrant>;

export interface TokenGrantsOptions {
  readonly ask: AskForGrant;
  /**
   * Time for which cached grants count after the last heartbeat of auth-service, in ms; a revocation may go unnoticed
   * for that long.
   */
  readonly trustMs: number;
  /** Clock in milliseconds since 1970. */
  readonly nowMs?: () => number;
}

/**
 * Grants of tokens, cached until they expire or are revoked, for a bounded number of tokens. A cached grant counts only
 * while the list of revocations is known to be complete up to a moment ago; otherwise every check asks auth-service.
 */
export class TokenGrants {
  readonly #entries = new Map<string, KeptGrant>();
  /** Without those whose response may be older than a revocation, or is no longer needed: it is not cached. */
  readonly #running = new Map<string, RunningCheck>();
  readonly #slots = new CheckSlots();
  readonly #nowMs: () => number;
  #completeUpToMs = 0;
  #heardAtMs = 0;

  constructor(private readonly options: TokenGrantsOptions) {
    this.#nowMs = options.nowMs ?? Date.now;
  }

  /** Returns a token's cached grant if it may be trusted now. */
  kept(tokenSha256: string): TokenGrant | undefined {
    const entry = this.#entries.get(tokenSha256);
    if (entry === undefined) return undefined;
    const nowMs = this.#nowMs();
    // A heartbeat from the future is as old as our clock went back, or older.
    const heartbeatAgeMs = Math.abs(nowMs - this.#completeUpToMs);
    const isTrusted = heartbeatAgeMs < this.options.trustMs && nowMs < entry.grant.expiresAtMs;
    if (!isTrusted) return undefined;
    if (nowMs - entry.usedAtMs >= SAME_USE_MS) this.#moveToEnd(tokenSha256, entry, nowMs);
    return entry.grant;
  }

  /**
   * Returns a token's grant, cached or requested. Concurrent checks of one token send one request. Errors: those of
   * `checkToken` and of `CheckSlots`.
   */
  check(tokenSha256: string, request: CheckedRequest): TokenGrant | Promise<TokenGrant> {
    return this.kept(tokenSha256) ?? this.#running.get(tokenSha256)?.answer ?? this.#begin(tokenSha256, request);
  }

  /**
   * Evicts revoked tokens and records the time up to which the list is complete. Requests that wait for auth-service
   * continue at once if the cached grant counts again. After a long silence all grants are evicted, because records of
   * the list may have expired.
   */
  onRevoked(revoked: TokensRevoked): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#heardAtMs > LIMITS.gateway.heartbeatSilenceMs) this.#entries.clear();
    this.#heardAtMs = nowMs;
    for (const tokenSha256 of revoked.tokenSha256s) {
      this.#entries.delete(tokenSha256);
      // Later checks send a new request: a response from before the revocation may be delayed.
      this.#running.delete(tokenSha256);
    }
    // A clock ahead of ours must not extend the trust.
    this.#completeUpToMs = Math.min(revoked.completeUpToMs, nowMs);
    for (const [tokenSha256, { settle }] of this.#running) {
      const grant = this.kept(tokenSha256);
      if (grant === undefined) continue;
      this.#running.delete(tokenSha256);
      settle(grant);
    }
  }

  #begin(tokenSha256: string, request: CheckedRequest): Promise<TokenGrant> {
    const asked = this.#ask(tokenSha256, request);
    let settle: RunningCheck['settle'] = () => undefined;
    const answer = new Promise<TokenGrant>((resolve, reject) => {
      settle = resolve;
      asked.then(resolve, reject);
    });
    const check: RunningCheck = { answer, settle };
    this.#running.set(tokenSha256, check);
    const usedAtMs = this.#nowMs();
    const end = (entry: KeptGrant | null): void => {
      if (this.#running.get(tokenSha256) !== check) return;
      this.#running.delete(tokenSha256);
      if (entry !== null) this.#keep(tokenSha256, entry);
    };
    asked.then(
      (grant) => end({ grant, usedAtMs }),
      () => end(null),
    );
    return answer;
  }

  /** A token that was valid before is looked up in any case: guessed tokens must not keep it out. */
  async #ask(tokenSha256: string, request: CheckedRequest): Promise<TokenGrant> {
    if (this.#entries.has(tokenSha256)) return this.options.ask(tokenSha256, request);
    const caller = this.#slots.take(request.ip);
    try {
      return await this.options.ask(tokenSha256, request);
    } finally {
      this.#slots.release(caller);
    }
  }

  #keep(tokenSha256: string, entry: KeptGrant): void {
    this.#moveToEnd(tokenSha256, entry, entry.usedAtMs);
    if (this.#entries.size <= LIMITS.gateway.tokensKept) return;
    const [leastRecentlyUsed] = this.#entries.keys();
    if (leastRecentlyUsed !== undefined) this.#entries.delete(leastRecentlyUsed);
  }

  #moveToEnd(tokenSha256: string, entry: KeptGrant, nowMs: number): void {
    this.#entries.delete(tokenSha256);
    this.#entries.set(tokenSha256, entry);
    entry.usedAtMs = nowMs;
  }
}
