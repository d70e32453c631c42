import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { createMessageSecret, isMessageSecret, signMessage, verifyMessage } from './signatures.js';

const [oldSecret, newSecret, otherSecret] = [createMessageSecret(), createMessageSecret(), createMessageSecret()];
const nowSeconds = 1_800_000_000;

const bodies = fc.string({ unit: 'binary', maxLength: 300 });
const ids = fc.stringMatching(/^[A-Za-z0-9_-]{1,100}$/);
const inTime = fc.integer({ min: -300, max: 300 });
const outOfTime = fc.oneof(fc.integer({ min: 301, max: 100_000 }), fc.integer({ min: -100_000, max: -301 }));
const verify = (headers: object, body: string, secrets = [oldSecret]) =>
  verifyMessage({ ...headers }, body, { secrets, nowSeconds });

describe('signatures of messages', () => {
  it('given any message that is at most five minutes old or early, when it is verified, then its id is returned', () => {
    fc.assert(
      fc.property(ids, bodies, inTime, (id, body, ageSeconds) => {
        const headers = signMessage({ id, timestampSeconds: nowSeconds - ageSeconds, body }, [oldSecret]);
        expect(verify(headers, body)).toBe(id);
        expect(verifyMessage({ ...headers }, Buffer.from(body), { secrets: [oldSecret], nowSeconds })).toBe(id);
      }),
    );
  });

  it('given any message whose time differs by more than five minutes, when it is verified, then it is refused', () => {
    fc.assert(
      fc.property(ids, bodies, outOfTime, (id, body, ageSeconds) => {
        const headers = signMessage({ id, timestampSeconds: nowSeconds - ageSeconds, body }, [oldSecret]);
        expect(verify(headers, body)).toBeNull();
      }),
    );
  });

  it('given any message, when its body, id, time or secret is another one, then it is refused', () => {
    fc.assert(
      fc.property(ids, bodies, bodies, (id, body, otherBody) => {
        fc.pre(body !== otherBody && !Buffer.from(body).equals(Buffer.from(otherBody)));
        const headers = signMessage({ id, timestampSeconds: nowSeconds, body }, [oldSecret]);
        expect(verify(headers, otherBody)).toBeNull();
        expect(verify({ ...headers, 'webhook-id': `${id}x` }, body)).toBeNull();
        expect(verify({ ...headers, 'webhook-timestamp': String(nowSeconds - 1) }, body)).toBeNull();
        expect(verify(headers, body, [otherSecret])).toBeNull();
        expect(verify(headers, body, [])).toBeNull();
      }),
    );
  });

  it('given an exchange of secrets, when either side knows both, then the other needs only one of the two', () => {
    const content = { id: 'm1', timestampSeconds: nowSeconds, body: '{}' };
    const signedByBoth = signMessage(content, [newSecret, oldSecret]);
    expect([[oldSecret], [newSecret], [otherSecret]].map((known) => verify(signedByBoth, '{}', known))).toEqual([
      'm1',
      'm1',
      null,
    ]);
    const signedByOld = signMessage(content, [oldSecret]);
    expect(verify(signedByOld, '{}', [newSecret, oldSecret])).toBe('m1');
    expect(verify(signedByOld, '{}', [newSecret])).toBeNull();
  });

  it('given the example of the Standard Webhooks specification, when it is signed, then the signature is the one there', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const content = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1_614_265_330,
      body: '{"test": 2432232314}',
    };
    expect(signMessage(content, [secret])['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it.each([
    ['no header', {}],
    ['a repeated header', { 'webhook-signature': ['v1,a', 'v1,b'] }],
    ['an id that could be read as another message', { 'webhook-id': 'a.1' }],
    ['a time that is no number', { 'webhook-timestamp': '1e9' }],
    ['another version of signatures', { 'webhook-signature': 'v2,AAAA' }],
    ['an empty signature', { 'webhook-signature': 'v1,' }],
    ['a signature after too many others', { 'webhook-signature': `${'v1,AAAA '.repeat(4)}${signatureOf('m1')}` }],
  ])('given %s, when a message is verified, then it is refused', (_, changed) => {
    const headers = signMessage({ id: 'm1', timestampSeconds: nowSeconds, body: '' }, [oldSecret]);
    expect(headers['webhook-signature']).toBe(signatureOf('m1'));
    expect(verify(Object.keys(changed).length === 0 ? {} : { ...headers, ...changed }, '')).toBeNull();
  });

  it('given texts, when they are checked as secrets, then only 24 to 64 bytes in base64 after the prefix count', () => {
    const ofBytes = (count: number) => `whsec_${Buffer.alloc(count, 7).toString('base64')}`;
    const texts = [ofBytes(23), ofBytes(24), ofBytes(32), ofBytes(64), ofBytes(65), ofBytes(32).slice(6), '', 'whsec_'];
    expect(texts.map(isMessageSecret)).toEqual([false, true, true, true, false, false, false, false]);
    expect(() => signMessage({ id: 'm1', timestampSeconds: nowSeconds, body: '' }, [])).toThrow(RangeError);
    expect(() => signMessage({ id: 'm1', timestampSeconds: nowSeconds, body: '' }, ['short'])).toThrow(RangeError);
  });
});

function signatureOf(id: string): string {
  const key = Buffer.from(oldSecret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${nowSeconds}.`).digest('base64')}`;
}
