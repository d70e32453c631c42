import { LIMITS } from '@settle/config';
import type { TokenGrant, TokensRevoked } from '@settle/contracts';

interface KeptGrant {
  readonly grant: TokenGrant;
  readonly untilMs: number;
}

interface RunningCheck {
  readonly answer: Promise<TokenGrant>;
  /** Set when the token is revoked while the answer is under way: it may be older than the revocation. */
  wasRevoked: boolean;
}

/** Asks whose token this is, by its SHA-256 in hex. Rejects with the catalogue's errors. */
export type AskForGrant = (tokenSha256: string, requestId: string) => Promise<TokenGrant>;

/**
 * What tokens stand for, kept for a while and for a bounded number of them. A kept answer counts only while the list
 * of revocations is known to be complete up to a moment ago; otherwise every check asks.
 */
export class TokenGrants {
  private readonly kept = new Map<string, KeptGrant>();
  private readonly running = new Map<string, RunningCheck>();
  private completeUpToMs = 0;

  /** @param nowMs the clock, milliseconds since 1970 */
  constructor(
    private readonly ask: AskForGrant,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** The grant of a token. Checks of one token at one time ask once. Errors: those of `checkToken`. */
  check(tokenSha256: string, requestId: string): TokenGrant | Promise<TokenGrant> {
    return this.keptGrant(tokenSha256) ?? this.running.get(tokenSha256)?.answer ?? this.begin(tokenSha256, requestId);
  }

  /** Forgets what was revoked, and remembers up to when nothing is missing. */
  onRevoked(revoked: TokensRevoked): void {
    for (const tokenSha256 of revoked.tokenSha256s) {
      this.kept.delete(tokenSha256);
      const running = this.running.get(tokenSha256);
      if (running !== undefined) running.wasRevoked = true;
    }
    // A clock ahead of ours must not stretch the trust.
    this.completeUpToMs = Math.min(revoked.completeUpToMs, this.nowMs());
  }

  private keptGrant(tokenSha256: string): TokenGrant | undefined {
    const entry = this.kept.get(tokenSha256);
    if (entry === undefined) return undefined;
    const nowMs = this.nowMs();
    if (nowMs - this.completeUpToMs >= LIMITS.gateway.heartbeatTrustMs) return undefined;
    // The map's order is that of last use, so its first key is the one to go.
    this.kept.delete(tokenSha256);
    if (nowMs >= entry.untilMs) return undefined;
    this.kept.set(tokenSha256, entry);
    return entry.grant;
  }

  private begin(tokenSha256: string, requestId: string): Promise<TokenGrant> {
    const check: RunningCheck = { answer: this.ask(tokenSha256, requestId), wasRevoked: false };
    this.running.set(tokenSha256, check);
    const askedAtMs = this.nowMs();
    check.answer.then(
      (grant) => this.finish(tokenSha256, check, { grant, untilMs: keepUntilMs(grant, askedAtMs) }),
      () => this.running.delete(tokenSha256),
    );
    return check.answer;
  }

  private finish(tokenSha256: string, check: RunningCheck, entry: KeptGrant): void {
    this.running.delete(tokenSha256);
    if (check.wasRevoked) return;
    this.kept.delete(tokenSha256);
    this.kept.set(tokenSha256, entry);
    if (this.kept.size <= LIMITS.gateway.tokensKept) return;
    const [leastRecentlyUsed] = this.kept.keys();
    if (leastRecentlyUsed !== undefined) this.kept.delete(leastRecentlyUsed);
  }
}

function keepUntilMs(grant: TokenGrant, askedAtMs: number): number {
  return Math.min(askedAtMs + LIMITS.gateway.tokenKeptMs, grant.expiresAtMs);
}
