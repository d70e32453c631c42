import { LIMITS } from '@settle/config';
import type { TokenGrant, TokensRevoked } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';

interface KeptGrant {
  readonly grant: TokenGrant;
  readonly untilMs: number;
  usedAtMs: number;
}

/** Uses closer together than this count as one: moving an entry to the end of the map is not free. */
const SAME_USE_MS = 1_000;

interface RunningCheck {
  readonly answer: Promise<TokenGrant>;
  /** Set when the token is revoked while the answer is under way: it may be older than the revocation. */
  wasRevoked: boolean;
}

/** The request that a check is part of, by its id and in its trace. */
export type CheckedRequest = Pick<FastifyRequest, 'id' | 'traceparent'>;

/** Asks whose token this is, by its SHA-256 in hex. Rejects with the catalogue's errors. */
export type AskForGrant = (tokenSha256: string, request: CheckedRequest) => Promise<TokenGrant>;

/**
 * What tokens stand for, kept for a while and for a bounded number of them. A kept answer counts only while the list
 * of revocations is known to be complete up to a moment ago; otherwise every check asks.
 */
export class TokenGrants {
  readonly #entries = new Map<string, KeptGrant>();
  readonly #running = new Map<string, RunningCheck>();
  #completeUpToMs = 0;

  /** @param nowMs the clock, milliseconds since 1970 */
  constructor(
    private readonly ask: AskForGrant,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** The grant of a token if its answer is kept and may be trusted now. */
  kept(tokenSha256: string): TokenGrant | undefined {
    const entry = this.#entries.get(tokenSha256);
    if (entry === undefined) return undefined;
    const nowMs = this.nowMs();
    const isTrusted = nowMs - this.#completeUpToMs < LIMITS.gateway.heartbeatTrustMs && nowMs < entry.untilMs;
    if (!isTrusted) return undefined;
    if (nowMs - entry.usedAtMs >= SAME_USE_MS) this.#moveToEnd(tokenSha256, entry, nowMs);
    return entry.grant;
  }

  /** The grant of a token, kept or asked for. Checks of one token at one time ask once. Errors: those of `checkToken`. */
  check(tokenSha256: string, request: CheckedRequest): TokenGrant | Promise<TokenGrant> {
    return this.kept(tokenSha256) ?? this.#running.get(tokenSha256)?.answer ?? this.#begin(tokenSha256, request);
  }

  /** Forgets what was revoked, and remembers up to when nothing is missing. */
  onRevoked(revoked: TokensRevoked): void {
    for (const tokenSha256 of revoked.tokenSha256s) {
      this.#entries.delete(tokenSha256);
      const running = this.#running.get(tokenSha256);
      if (running === undefined) continue;
      running.wasRevoked = true;
      // Whoever comes from now on asks anew: an answer from before the revocation may take its time.
      this.#running.delete(tokenSha256);
    }
    // A clock ahead of ours must not stretch the trust.
    this.#completeUpToMs = Math.min(revoked.completeUpToMs, this.nowMs());
  }

  #begin(tokenSha256: string, request: CheckedRequest): Promise<TokenGrant> {
    const check: RunningCheck = { answer: this.ask(tokenSha256, request), wasRevoked: false };
    this.#running.set(tokenSha256, check);
    const askedAtMs = this.nowMs();
    check.answer.then(
      (grant) =>
        this.#finish(tokenSha256, check, { grant, untilMs: keepUntilMs(grant, askedAtMs), usedAtMs: askedAtMs }),
      () => this.#forgetRunning(tokenSha256, check),
    );
    return check.answer;
  }

  #finish(tokenSha256: string, check: RunningCheck, entry: KeptGrant): void {
    this.#forgetRunning(tokenSha256, check);
    if (check.wasRevoked) return;
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

function keepUntilMs(grant: TokenGrant, askedAtMs: number): number {
  return Math.min(askedAtMs + LIMITS.gateway.tokenKeptMs, grant.expiresAtMs);
}
