import fc from 'fast-check';
import { ERROR_CATALOGUE, SettleError, fromErrorPayload, toErrorPayload, type ErrorCode } from './index.js';

const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

describe('errors', () => {
  it('given any refusal, when it crosses a border as JSON, then it arrives as it was', () => {
    const detail = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    const details = fc.dictionary(fc.stringMatching(/^[a-z][A-Za-z]{0,20}$/), detail);
    fc.assert(
      fc.property(fc.constantFrom(...codes), fc.string(), details, (code, message, more) => {
        const sent = new SettleError(code, message, { ...more });
        const arrived = fromErrorPayload(JSON.parse(JSON.stringify(toErrorPayload(sent))) as never);
        expect(arrived).toBeInstanceOf(SettleError);
        expect({ ...arrived, message: arrived.message }).toEqual({ ...sent, message: sent.message });
        expect(arrived.status).toBe(ERROR_CATALOGUE[code].status);
      }),
    );
  });

  // Shows error-43
  it.each([new TypeError('c4n4ry'), 'c4n4ry', undefined, { code: 'not_permitted', message: 'c4n4ry' }])(
    'given what is no refusal (%p), when it crosses, then only that there is a bug does',
    (thrown) => {
      const payload = toErrorPayload(thrown);
      expect(payload).toMatchObject({ code: 'internal_error', details: {} });
      expect(JSON.stringify(payload)).not.toContain('c4n4ry');
    },
  );

  // Shows error-5
  it.each(codes)('given the code %s, when its row is read, then it has an error status and a sentence', (code) => {
    const { status, meaning } = ERROR_CATALOGUE[code];
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(meaning).toMatch(/^[A-Z].*\.$/);
  });
});
