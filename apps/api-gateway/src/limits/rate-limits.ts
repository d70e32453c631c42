import type { RateLimit, Settings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { callerAtAddress } from '@settle/lifecycle';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiter, type Standing } from './rate-limiter.js';

const ONE_SECOND_MS = 1_000;
const REMAINING = 'ratelimit-remaining';

/** Counts a request of a caller. Error: `rate_limited`. */
type Count = (caller: string, reply: FastifyReply) => void;

/** Counts each request for its address, its token and the app of its token. Counts are this instance's own: several add up. */
export class RateLimits {
  /** Counts a request for the SHA-256 of a token that is known to be good. */
  readonly countForToken: Count;
  /** Counts a request for the app of such a token. */
  readonly countForApp: Count;
  readonly #countForCaller: Count;

  /** @param limits null: requests are not limited */
  constructor(limits: Settings['rateLimits']) {
    this.countForToken = counterOf(limits?.perToken, 'with this access token');
    this.countForApp = counterOf(limits?.perApp, 'by this app');
    this.#countForCaller = counterOf(limits?.perAddress, 'from this address');
  }

  /** Counts a request for where it came from. Error: `rate_limited`. */
  countForAddress(request: FastifyRequest, reply: FastifyReply): void {
    this.#countForCaller(callerAtAddress(request.ip), reply);
  }
}

function counterOf(limit: RateLimit | undefined, whose: string): Count {
  if (limit === undefined) return () => undefined;
  const limiter = new RateLimiter(limit);
  return (caller, reply) => {
    const standing = limiter.take(caller);
    setHeaders(reply, limit, standing);
    if (standing.waitMs === 0) return;
    const retryAfterSeconds = inSeconds(standing.waitMs);
    const message = `Too many requests ${whose}. Wait ${retryAfterSeconds} s, then send this one again.`;
    throw new SettleError('rate_limited', message, { retryAfterSeconds });
  };
}

/** Reports only the limit with the fewest remaining requests of those that apply. */
function setHeaders(reply: FastifyReply, limit: RateLimit, { remaining, fullInMs }: Standing): void {
  const reported = reply.getHeader(REMAINING);
  if (reported !== undefined && Number(reported) <= remaining) return;
  reply.header('ratelimit-limit', limit.burst);
  reply.header(REMAINING, remaining);
  reply.header('ratelimit-reset', inSeconds(fullInMs));
}

function inSeconds(ms: number): number {
  return Math.ceil(ms / ONE_SECOND_MS);
}
