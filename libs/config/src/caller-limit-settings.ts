import { onOrOff, wholeNumber } from './setting-parsers.js';
import { setting, type Setting } from './setting.js';

const GATEWAY = 'all-in-one, api-gateway';
const MOST_REQUESTS = 1_000_000;

const requests = (name: string, count: number, meaning: string): Setting<number> =>
  setting({
    name,
    default: String(count),
    meaning,
    readBy: GATEWAY,
    expects: `a whole number from 1 to ${MOST_REQUESTS}`,
    example: String(count),
    parse: wholeNumber(1, MOST_REQUESTS),
  });

/** How much callers may ask of the gateway. */
export const CALLER_LIMIT_SETTINGS = {
  rateLimits: setting({
    name: 'RATE_LIMITS',
    default: 'on',
    meaning:
      'Whether callers that ask too often are answered 429. `off` is for benchmarks and tests. Failed sign-ins are slowed down in any case.',
    readBy: GATEWAY,
    expects: 'on or off',
    example: 'off',
    parse: onOrOff,
  }),
  tokenPerSecond: requests('RATE_LIMIT_TOKEN_PER_SECOND', 100, 'Requests a second that one access token may make.'),
  tokenBurst: requests(
    'RATE_LIMIT_TOKEN_BURST',
    500,
    'Requests that one access token may make at once, after a pause.',
  ),
  addressPerSecond: requests(
    'RATE_LIMIT_ADDRESS_PER_SECOND',
    300,
    'Requests a second, pages included, that one address may make. An IPv6 network of 64 bits counts as one address.',
  ),
  addressBurst: requests('RATE_LIMIT_ADDRESS_BURST', 2_000, 'Requests that one address may make at once.'),
  requestsInProgress: requests(
    'REQUESTS_IN_PROGRESS',
    256,
    'Requests of all callers that one gateway works on at once; one more is answered 503. Not switched off by `RATE_LIMITS`.',
  ),
};
