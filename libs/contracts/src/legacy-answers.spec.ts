import { ERROR_CATALOGUE, type ErrorCode } from './errors.js';
import { legacyErrorCode, withLegacyDatetimes } from './legacy-answers.js';

describe('legacy answers', () => {
  it('given an answer, when its datetimes are made legacy ones, then only those change', () => {
    const answer = {
      pagination: { next: 'http://x/v1/payments?before=2026-01-31T10:00:00.123456Z' },
      data: [
        {
          note: '2026-01-31T10:00:00Z',
          amount: 0.1,
          date_created: '2026-01-31T10:00:00.123456Z',
          date_completed: null,
          actor: { date_joined: '2020-01-01T00:00:00.000000Z', about: 'Z' },
        },
      ],
    };
    expect(withLegacyDatetimes(answer)).toEqual({
      ...answer,
      data: [
        {
          ...answer.data[0],
          date_created: '2026-01-31T10:00:00.123456',
          actor: { date_joined: '2020-01-01T00:00:00.000000', about: 'Z' },
        },
      ],
    });
  });

  it.each<[ErrorCode, string]>([
    ['missing_parameter', '241'],
    ['expired_token', '265'],
    ['insufficient_funds', '1319'],
    ['invalid_phone', '1343'],
    ['payment_not_pending', '2901'],
    ['internal_error', '240'],
    ['idempotency_key_reused', '240'],
  ])('given %s, when its legacy code is read, then it is %s', (code, legacy) => {
    expect(legacyErrorCode(code)).toBe(legacy);
  });

  it('given every code, when its legacy code is read, then it is digits', () => {
    for (const code of Object.keys(ERROR_CATALOGUE)) expect(legacyErrorCode(code as ErrorCode)).toMatch(/^[0-9]+$/);
  });
});
