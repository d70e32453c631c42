import { isMessageSecret } from '@settle/provider-api';
import {
  baseAddress,
  hostName,
  moneyAsCents,
  parser,
  webOrigin,
  webOrigins,
  wholeNumber,
  yesOrNo,
} from './setting-parsers.js';
import { setting } from './setting.js';

const PAYMENTS = 'all-in-one, payments-service';
const IN_STACK = 'all-in-one, stack, payments-service';

/** One or two secrets, with white space between them. The value is the text as it was written. */
const messageSecrets = parser(
  'one or two secrets, one a line, each `whsec_` and 24 to 64 random bytes in base64',
  (text) => {
    const secrets = text.split(/\s+/);
    return secrets.length <= 2 && secrets.every(isMessageSecret) ? text : undefined;
  },
);

/** How money comes in from outside and goes out again. */
export const FUNDING_SETTINGS = {
  providerUrl: setting('FUNDING_PROVIDER_URL', baseAddress, {
    otherwise: 'none: no source can be charged; `npm start` and the stack use the reference provider with `DEV_TOOLS`',
    meaning:
      'The payment provider that charges and pays out sources, see [providers.md](providers.md). In production https, ' +
      'except on loopback. The first provider that a database uses marks it as `test` or `live`, and the other kind is ' +
      'refused for ever; outside of production a live one always is.',
    readBy: IN_STACK,
    example: 'https://provider.example.com/v1',
  }),
  providerSecret: setting('FUNDING_PROVIDER_SECRET', messageSecrets, {
    otherwise: 'none; needed with `FUNDING_PROVIDER_URL`, best as a file',
    meaning:
      'One or two secrets, one a line, that sign the messages to the provider and from it. Requests are signed with each, ' +
      'and callbacks may be signed with either, so that a secret can be exchanged without a gap.',
    readBy: IN_STACK,
    example: '<secret>',
    inFile: 'It is read again before each request, so that a secret can be exchanged while the service runs.',
  }),
  allowTestProvider: setting('ALLOW_TEST_PROVIDER', yesOrNo, {
    default: 'false',
    meaning:
      'In production a provider that moves no real money (`live: false`) is used only with `true`. That database is then ' +
      'marked `test` and refuses a live provider for ever; one that was used with a live provider refuses a test one.',
    readBy: PAYMENTS,
  }),
  pageOrigins: setting('FUNDING_PAGE_ORIGINS', webOrigins, {
    otherwise: 'none: users cannot be sent to the provider; in development the origin of a provider on loopback',
    meaning:
      "Origins of the provider's pages to which users may be sent to add a source or to confirm a charge, separated by " +
      'commas. Each is https, or in development loopback. auth-service and payments-service need the same.',
    readBy: 'all-in-one, stack, auth-service, payments-service',
    example: 'https://pages.provider.example.com',
  }),
  fundingWaitMs: setting('FUNDING_WAIT_MS', wholeNumber(0, 5_000), {
    default: '2000',
    meaning:
      'How many milliseconds a payment waits for the answer of the provider. Then it is answered `pending`, and the ' +
      'provider is asked again in the background.',
    readBy: PAYMENTS,
  }),
  fundingPendingDays: setting('FUNDING_PENDING_DAYS', wholeNumber(1, 30), {
    default: '3',
    meaning: 'How many days a charge may stay without a final answer before the provider is asked to cancel it.',
    readBy: PAYMENTS,
  }),
  withdrawalHoldHours: setting('WITHDRAWAL_HOLD_HOURS', wholeNumber(0, 2_160), {
    default: '72',
    meaning: 'How many hours money from a source cannot be withdrawn. It can be paid to other users meanwhile.',
    readBy: PAYMENTS,
  }),
  sourcePerDayCents: setting('SOURCE_AMOUNT_PER_DAY', moneyAsCents, {
    default: '500.00',
    meaning:
      "The largest sum that is taken from one user's source within 24 hours, for deposits and payments. " +
      '`RATE_LIMITS=off` does not switch this off.',
    readBy: PAYMENTS,
  }),
  withdrawPerDayCents: setting('WITHDRAW_PER_DAY', moneyAsCents, {
    default: '1000.00',
    meaning: 'The largest sum that one user may withdraw within 24 hours. `RATE_LIMITS=off` does not switch this off.',
    readBy: PAYMENTS,
  }),
  withdrawReviewCents: setting('WITHDRAW_REVIEW', moneyAsCents, {
    default: '500.00',
    meaning: 'Withdrawals of this amount and above wait for an operator.',
    readBy: PAYMENTS,
  }),
  callbacksHost: setting('PROVIDER_CALLBACKS_HOST', hostName, {
    default: '127.0.0.1',
    meaning:
      "The address on which payments-service receives the provider's callbacks from the gateway. It must not be reachable " +
      'from outside.',
    readBy: 'payments-service',
    example: '0.0.0.0',
  }),
  callbacksPort: setting('PROVIDER_CALLBACKS_PORT', wholeNumber(0, 65_535), {
    default: '3002',
    meaning: 'The port of the same; `0` takes a free one. Without `FUNDING_PROVIDER_URL` nothing listens there.',
    readBy: 'payments-service',
  }),
  callbacksUrl: setting('PROVIDER_CALLBACKS_URL', webOrigin, {
    otherwise: 'none: callbacks are answered 404; all-in-one and the stack need none',
    meaning:
      "Where payments-service receives the provider's callbacks; with several instances, the address of what balances " +
      'them. With it the gateway accepts `POST <PUBLIC_URL>/provider/callbacks`.',
    readBy: 'api-gateway',
    example: 'http://localhost:3002',
  }),
};
