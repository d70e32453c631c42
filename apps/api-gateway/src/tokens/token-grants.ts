import { LIMITS } from '@settle/config';
import type { TokenGrant, TokensRevoked } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { CheckSlots } from './check-slots.js';

interface KeptGrant {
  readonly grant: TokenGrant;
  usedAtMs: number;
}

/** Uses closer together than this count as one: moving an entry to the end of the map is not free. */
const SAME_USE_MS = 1_000;

interface RunningCheck {
  readonly answer: Promise<TokenGrant>;
  /** Answers the waiting requests at once, without auth-service. */
  readonly settle: (grant: TokenGrant) => void;
  /** Its answer may be older than a revocation, or is no longer needed: it is not kept. */
  isOutdated: boolean;
}

/** The request that a check is part of: its id, its trace, and the address that it comes from. */
export type CheckedRequest = Pick<FastifyRequest, 'id' | 'ip' | 'traceparent'>;

/** Asks whose token this is, by its SHA-256 in hex. Rejects with the catalogue's errors. */
export type AskForGrant = (tokenSha256: string, request: CheckedRequest) => Promise<TokenGrant>;

export interface TokenGrantsOptions {
  readonly ask: AskForGrant;
  /** Kept answers count for so long after the last heartbeat of auth-service; a revocation may go unnoticed meanwhile. */
  readonly trustMs: number;
  /** The clock, milliseconds since 1970. */
  readonly nowMs?: () => number;
}

/**
 * What tokens stand for, kept until they expire or are revoked, and for a bounded number of them. A kept answer counts
 * only while the list of revocations is known to be complete up to a moment ago; otherwise every check asks.
 */
export class TokenGrants {
  readonly #entries = new Map<string, KeptGrant>();
  readonly #running = new Map<string, RunningCheck>();
  readonly #slots = new CheckSlots();
  readonly #nowMs: () => number;
  #completeUpToMs = 0;
  #heardAtMs = 0;

  constructor(private readonly options: TokenGrantsOptions) {
    this.#nowMs = options.nowMs ?? Date.now;
  }

  /** The grant of a token if its answer is kept and may be trusted now. */
  kept(tokenSha256: string): TokenGrant | undefined {
    const entry = this.#entries.get(tokenSha256);
    if (entry === undefined) return undefined;
    const nowMs = this.#nowMs();
    const isTrusted = nowMs - this.#completeUpToMs < this.options.trustMs && nowMs < entry.grant.expiresAtMs;
    if (!isTrusted) return undefined;
    if (nowMs - entry.usedAtMs >= SAME_USE_MS) this.#moveToEnd(tokenSha256, entry, nowMs);
    return entry.grant;
  }

  /** The grant of a token, kept or asked for. Checks of one token at one time ask once. Errors: those of `checkToken` and of `CheckSlots`. */
  check(tokenSha256: string, request: CheckedRequest): TokenGrant | Promise<TokenGrant> {
    return this.kept(tokenSha256) ?? this.#running.get(tokenSha256)?.answer ?? this.#begin(tokenSha256, request);
  }

  /**
   * Forgets what was revoked, and remembers up to when nothing is missing. Requests that wait for an answer of
   * auth-service go on at once where the kept answer counts again. After a long silence everything is forgotten, since
   * records of the list may have run out meanwhile.
   */
  onRevoked(revoked: TokensRevoked): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#heardAtMs > LIMITS.gateway.heartbeatSilenceMs) this.#entries.clear();
    this.#heardAtMs = nowMs;
    for (const tokenSha256 of revoked.tokenSha256s) {
      this.#entries.delete(tokenSha256);
      // Later checks ask anew: an answer from before the revocation may take its time.
      this.#abandon(tokenSha256);
    }
    // A clock ahead of ours must not stretch the trust.
    this.#completeUpToMs = Math.min(revoked.completeUpToMs, nowMs);
    for (const [tokenSha256, { settle }] of this.#running) {
      const grant = this.kept(tokenSha256);
      if (grant === undefined) continue;
      this.#abandon(tokenSha256);
      settle(grant);
    }
  }

  #abandon(tokenSha256: string): void {
    const running = this.#running.get(tokenSha256);
    if (running === undefined) return;
    running.isOutdated = true;
    this.#running.delete(tokenSha256);
  }

  #begin(tokenSha256: string, request: CheckedRequest): Promise<TokenGrant> {
    const asked = this.#ask(tokenSha256, request);
    let settle: RunningCheck['settle'] = () => undefined;
    const answer = new Promise<TokenGrant>((resolve, reject) => {
      settle = resolve;
      asked.then(resolve, reject);
    });
    const check: RunningCheck = { answer, settle, isOutdated: false };
    this.#running.set(tokenSha256, check);
    const usedAtMs = this.#nowMs();
    asked.then(
      (grant) => this.#finish(tokenSha256, check, { grant, usedAtMs }),
      () => this.#forgetRunning(tokenSha256, check),
    );
    return answer;
  }

  /** A token that was good before is asked for in any case: guessed ones must not keep it out. */
  async #ask(tokenSha256: string, request: CheckedRequest): Promise<TokenGrant> {
    if (this.#entries.has(tokenSha256)) return this.options.ask(tokenSha256, request);
    const caller = this.#slots.take(request.ip);
    try {
      return await this.options.ask(tokenSha256, request);
    } finally {
      this.#slots.release(caller);
    }
  }

  #finish(tokenSha256: string, check: RunningCheck, entry: KeptGrant): void {
    this.#forgetRunning(tokenSha256, check);
    if (check.isOutdated) return;
    this.#moveToEnd(tokenSha256, entry, entry.usedAtMs);
    if (this.#entries.size <= LIMITS.gateway.tokensKept) return;
    const [leastRecentlyUsed] = this.#entries.keys();
    if (leastRecentlyUsed !== undefined) this.#entries.delete(leastRecentlyUsed);
  }

  #forgetRunning(tokenSha256: string, check: RunningCheck): void {
    if (this.#running.get(tokenSha256) === check) this.#running.delete(tokenSha256);
  }

  #moveToEnd(tokenSha256: string, entry: KeptGrant, nowMs: number): void {
    this.#entries.delete(tokenSha256);
    this.#entries.set(tokenSha256, entry);
    entry.usedAtMs = nowMs;
  }
}
