import { derivePaymentId } from '@settle/contracts';
import { refundIdFor } from './refund-ids.js';

const HOLDS = 20_000;
const DAY_MS = 86_400_000;

describe('the ids of refunds', () => {
  it('given holds of one day, when all of them expire in one millisecond, then each refund has an id of its own', () => {
    const firstMs = Date.UTC(2026, 0, 1);
    const ids = Array.from({ length: HOLDS }, (_, index) =>
      derivePaymentId(firstMs + Math.floor((index * DAY_MS) / HOLDS), `command-${index}`),
    );
    expect(new Set([...ids, ...ids.map((id) => refundIdFor(id))]).size).toBe(2 * HOLDS);
  });
});
