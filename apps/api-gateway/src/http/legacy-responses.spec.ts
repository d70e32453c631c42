import { createHash } from 'node:crypto';
import { SettleError, type CreatePayment, type PaymentView, type PaymentsPage } from '@settle/contracts';
import {
  aliceProfile,
  call,
  settled,
  startGatewayUnderTest,
  type GatewayUnderTest,
} from '../../test/gateway.fixture.js';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest((hash) => {
    if (hash === hashOf('expired')) throw new SettleError('expired_token', 'It has expired.', { legacyAnswers: true });
    return ['access_profile'];
  });
  gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
  gateway.legacyTokens.add(hashOf('former'));
});
afterAll(() => gateway.close());

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const ask = (token: string, path = '/v1/me') =>
  call(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

describe('legacy answers at the gateway', () => {
  it.each([
    ['former', '2023-11-14T22:13:20.000001'],
    ['other', '2023-11-14T22:13:20.000001Z'],
  ])(
    'given a token of the %s app, when it is used twice, then the datetimes are of its form',
    async (token, joined) => {
      for (const time of ['asked for', 'kept']) {
        const { json } = await ask(token);
        const { user } = json.data as { user: { date_joined: string } };
        expect([time, user.date_joined]).toEqual([time, joined]);
      }
    },
  );

  it('given a page that the service has kept, when apps of both forms read it in turn, then each gets its own form', async () => {
    const command = {
      paymentId: '1852942305918484483',
      action: 'charge',
      amountCents: 1_250,
      target: { type: 'user' },
    };
    const payment: PaymentView = {
      ...settled(command as CreatePayment),
      note: 'ä "quoted"',
      status: 'pending',
      completedAtUs: null,
    };
    const page: PaymentsPage = { payments: [payment], next: { beforeUs: payment.createdAtUs, beforeId: null } };
    gateway.answers['listPayments'] = () => Promise.resolve(page);
    const list = async (token: string, method = 'GET') => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${gateway.url}/v1/payments?limit=1`, { method, headers });
      const length = response.headers.get('content-length');
      return { type: response.headers.get('content-type'), length, text: await response.text() };
    };
    const [first, legacy, again] = [await list('other'), await list('former'), await list('other')];
    expect(again).toEqual(first);
    expect([first.type, Number(first.length)]).toEqual([
      'application/json; charset=utf-8',
      Buffer.byteLength(first.text),
    ]);
    expect(legacy.text).toBe(first.text.replaceAll(/(?<="date_\w+":"[^"]+)Z(?=")/g, ''));
    expect(legacy.type).toBe(first.type);
    expect(await list('other', 'HEAD')).toEqual({ ...first, text: '' });
    expect(JSON.parse(first.text)).toMatchObject({
      pagination: { next: expect.stringContaining('before=2023-11-14T22%3A13%3A20.000001Z') },
      data: [{ amount: -12.5, note: 'ä "quoted"', date_created: '2023-11-14T22:13:20.000001Z', date_completed: null }],
    });
  });

  it.each([
    ['former', '/v1/payments', 'POST', '260'],
    ['former', '/v1/payments/7', 'GET', '283'],
    ['former', '/v1/payments?limit=x', 'GET', '240'],
    ['other', '/v1/payments?limit=x', 'GET', 'invalid_limit'],
    ['expired', '/v1/me', 'GET', '265'],
  ])(
    'given a token that is %s, when %s is refused, then the code is of its form',
    async (token, path, method, code) => {
      const answer = await call(gateway.url + path, { method, headers: { authorization: `Bearer ${token}` } });
      expect(answer.json.error?.code).toBe(code);
    },
  );
});
