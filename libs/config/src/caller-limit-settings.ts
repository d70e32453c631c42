import { onOrOff, wholeNumber } from './setting-parsers.js';
import { setting, type Setting } from './setting.js';

const GATEWAY = 'all-in-one, api-gateway';
const MOST_REQUESTS = 1_000_000;

const requests = (name: string, count: number, meaning: string): Setting<number> =>
  setting(name, wholeNumber(1, MOST_REQUESTS), { default: String(count), meaning, readBy: GATEWAY });

/** How much callers may ask of the gateway. */
export const CALLER_LIMIT_SETTINGS = {
  rateLimits: setting('RATE_LIMITS', onOrOff, {
    default: 'on',
    meaning:
      'Whether callers that send too many requests, and users beyond the limits of payments, are answered 429. `off` ' +
      'is for benchmarks and tests. Failed sign-ins are slowed down in any case.',
    readBy: `${GATEWAY}, payments-service`,
    example: 'off',
  }),
  tokenPerSecond: requests('RATE_LIMIT_TOKEN_PER_SECOND', 100, 'Requests a second that one access token may make.'),
  tokenBurst: requests(
    'RATE_LIMIT_TOKEN_BURST',
    500,
    'Requests that one access token may make at once, after a pause.',
  ),
  appPerSecond: requests(
    'RATE_LIMIT_APP_PER_SECOND',
    1_000,
    'Requests a second that one app may make with all its access tokens.',
  ),
  appBurst: requests('RATE_LIMIT_APP_BURST', 5_000, 'Requests that one app may make at once, after a pause.'),
  addressPerSecond: requests(
    'RATE_LIMIT_ADDRESS_PER_SECOND',
    300,
    'Requests a second, pages included, that one address may make. An IPv6 network of 64 bits counts as one address.',
  ),
  addressBurst: requests('RATE_LIMIT_ADDRESS_BURST', 2_000, 'Requests that one address may make at once.'),
  requestsInProgress: requests(
    'REQUESTS_IN_PROGRESS',
    256,
    'Requests of all callers that one gateway works on at once; one more is answered 503. While others wait, one app has at most half of them; requests without a valid access token never have more than half. Not switched off by `RATE_LIMITS`.',
  ),
  requestsInProgressPerAddress: requests(
    'REQUESTS_IN_PROGRESS_PER_ADDRESS',
    64,
    'Requests without a valid access token (pages, sign-in, the token endpoint) of one address that one gateway works on at once; one more is answered 429. Requests with a valid token do not count. Not switched off by `RATE_LIMITS`.',
  ),
};
