import type { RateLimit, Settings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { callerAtAddress } from '@settle/lifecycle';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiter, type Standing } from './rate-limiter.js';

const ONE_SECOND_MS = 1_000;
const REMAINING = 'ratelimit-remaining';

/** Counts each request for its address, its token and the app of its token. Counts are this instance's own: several add up. */
export class RateLimits {
  readonly #perToken: CountedBy | null;
  readonly #perApp: CountedBy | null;
  readonly #perAddress: CountedBy | null;

  /** @param limits null: requests are not limited */
  constructor(limits: Settings['rateLimits']) {
    this.#perToken = limits && new CountedBy(limits.perToken, 'with this access token');
    this.#perApp = limits && new CountedBy(limits.perApp, 'by this app');
    this.#perAddress = limits && new CountedBy(limits.perAddress, 'from this address');
  }

  /** Counts a request for where it came from. Error: `rate_limited`. */
  countForAddress(request: FastifyRequest, reply: FastifyReply): void {
    this.#perAddress?.count(callerAtAddress(request.ip), reply);
  }

  /** Counts a request for a token that is known to be good. Error: `rate_limited`. */
  countForToken(tokenSha256: string, reply: FastifyReply): void {
    this.#perToken?.count(tokenSha256, reply);
  }

  /** Counts a request for the app of such a token. Error: `rate_limited`. */
  countForApp(appId: string, reply: FastifyReply): void {
    this.#perApp?.count(appId, reply);
  }
}

class CountedBy {
  readonly #limiter: RateLimiter;

  constructor(
    private readonly limit: RateLimit,
    private readonly whose: string,
  ) {
    this.#limiter = new RateLimiter(limit);
  }

  count(caller: string, reply: FastifyReply): void {
    const standing = this.#limiter.take(caller);
    this.#tell(reply, standing);
    if (standing.waitMs === 0) return;
    const retryAfterSeconds = inSeconds(standing.waitMs);
    const message = `Too many requests ${this.whose}. Wait ${retryAfterSeconds} s, then send this one again.`;
    throw new SettleError('rate_limited', message, { retryAfterSeconds });
  }

  /** Reports only the limit with the fewest remaining requests of those that apply. */
  #tell(reply: FastifyReply, { remaining, fullInMs }: Standing): void {
    const told = reply.getHeader(REMAINING);
    if (told !== undefined && Number(told) <= remaining) return;
    reply.header('ratelimit-limit', this.limit.burst);
    reply.header(REMAINING, remaining);
    reply.header('ratelimit-reset', inSeconds(fullInMs));
  }
}

function inSeconds(ms: number): number {
  return Math.ceil(ms / ONE_SECOND_MS);
}
