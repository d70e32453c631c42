import { moneyAsCents, wholeNumber } from './setting-parsers.js';
import { setting, type Setting } from './setting.js';

const PAYMENTS = 'all-in-one, payments-service';
const MOST = 100_000;

const count = (name: string, limit: number, meaning: string): Setting<number> =>
  setting(name, wholeNumber(1, MOST), {
    default: String(limit),
    meaning: `${meaning} One more is answered 429. \`RATE_LIMITS=off\` switches this off.`,
    readBy: PAYMENTS,
  });

/** How much one user may do, in each environment (live and sandbox), whatever the app and the token. */
export const USER_LIMIT_SETTINGS = {
  pendingPerPair: count('PENDING_PER_PAIR', 20, 'Pending charges that one user may have with one other user.'),
  pendingPerUser: count('PENDING_PER_USER', 200, 'Pending charges that one user may have made in total.'),
  newPayeesPerDay: count(
    'NEW_PAYEES_PER_DAY',
    200,
    'Users and addresses that one user may pay or charge for the first time within 24 hours.',
  ),
  amountPerDayCents: setting('AMOUNT_PER_DAY', moneyAsCents, {
    otherwise: 'no limit',
    meaning:
      'The largest sum that one user may pay and approve within 24 hours, fees apart. A payment above it is answered ' +
      '429. `RATE_LIMITS=off` switches this off.',
    readBy: PAYMENTS,
    example: '5000.00',
  }),
};
