import { hash } from 'node:crypto';
import { IDEMPOTENCY_KEY, SettleError, type Idempotency } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';

/** The parts of a request that decide whether it equals another; `asked` contains parsed values, not their spelling. */
interface Asked {
  readonly method: string;
  /** As the router knows it; what stands for its names is in `asked`. */
  readonly route: string | undefined;
  readonly asked: object;
}

/**
 * Returns the fields of a command for a request with an `Idempotency-Key`; none without one.
 * Error: `invalid_request` when the header is none (Node joins a repeated one with a blank).
 */
export function idempotencyOf(
  { headers, method, routeOptions }: Pick<FastifyRequest, 'headers' | 'method' | 'routeOptions'>,
  asked: object,
): { idempotency?: Idempotency } {
  const key = headers['idempotency-key'];
  if (key === undefined) return {};
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) {
    throw new SettleError('invalid_request', 'Idempotency-Key takes 1 to 255 visible ASCII characters, once.');
  }
  return { idempotency: { key, requestHash: requestHash({ method, route: routeOptions.url, asked }) } };
}

/** SHA-256, in hexadecimal, of what a request asks for: equal for any order of its fields. */
export function requestHash({ method, route, asked }: Asked): string {
  return hash('sha256', JSON.stringify([method, route, inOrder(asked)]));
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => [name, inOrder(member)]);
}
