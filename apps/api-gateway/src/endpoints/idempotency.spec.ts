import { createHash } from 'node:crypto';
import { DEMO_USERS, SettleError, type CreatePayment } from '@settle/contracts';
import {
  FORM,
  call,
  post,
  settled,
  startGatewayUnderTest,
  type Answer,
  type GatewayUnderTest,
} from '../../test/gateway.fixture.js';

const known = createHash('sha256').update('payer').digest('hex');
const body = `user_id=${DEMO_USERS.bob.id}&note=lunch&amount=1`;

describe('the Idempotency-Key of a request', () => {
  let gateway: GatewayUnderTest;
  const commands: CreatePayment[] = [];

  beforeAll(async () => {
    gateway = await startGatewayUnderTest((hash) => (hash === known ? ['make_payments'] : null));
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    commands.length = 0;
  });

  const pay = (key?: string): Promise<Answer> =>
    call(
      `${gateway.url}/v1/payments`,
      post(body, FORM, { authorization: 'Bearer payer', ...(key === undefined ? {} : { 'idempotency-key': key }) }),
    );
  const answering = (outcome: { isReplayed?: boolean } | SettleError) => {
    gateway.answers.createPayment = (command) => {
      commands.push(command);
      if (outcome instanceof SettleError) return Promise.reject(outcome);
      return Promise.resolve({ payment: settled(command), balanceCents: 0, ...outcome });
    };
  };

  it('given one, when the command is sent, then it holds the key and what tells the request from others', async () => {
    answering({});
    const { status, headers } = await pay('order-7');
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, null]);
    await pay();
    expect(commands.map(({ idempotency }) => idempotency)).toEqual([
      { key: 'order-7', requestHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      undefined,
    ]);
  });

  it('given an answer from before, when it is passed on, then its header says so', async () => {
    answering({ isReplayed: true });
    const { status, headers, json } = await pay('order-7');
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(Object.keys(json.data as object)).toEqual(['balance', 'payment']);
  });

  // Shows key-5
  it('given a header that is no key, when it is sent, then 400 and no command', async () => {
    answering({});
    for (const key of ['', 'a b', 'k'.repeat(256)]) {
      const { status, json } = await pay(key);
      expect([status, json.error?.code]).toEqual([400, 'invalid_request']);
    }
    expect(commands).toEqual([]);
  });

  // Shows key-10, error-36
  it.each([
    ['idempotency_in_progress', 409, '1'],
    ['idempotency_key_reused', 422, null],
  ] as const)('given %s, when it is answered, then with %i and Retry-After %p', async (code, expected, retryAfter) => {
    answering(new SettleError(code, 'Another has this key.'));
    const { status, headers, json } = await pay('order-7');
    expect([status, json.error?.code, headers.get('retry-after')]).toEqual([expected, code, retryAfter]);
  });

  // Shows error-46
  it('given no outcome, when it is answered, then with a key it says to send again, without one to read', async () => {
    answering(new SettleError('outcome_unknown', 'x'));
    expect((await pay('order-7')).json.error?.message).toContain('the same Idempotency-Key');
    const { json } = await pay();
    expect(json.error?.message).toContain(`Read payment ${commands[1]?.paymentId}`);
  });

  it('given no outcome and no key, when it is answered, then it says how much longer a server with EventStoreDB takes', async () => {
    answering(new SettleError('outcome_unknown', 'x'));
    const { status, json } = await pay();
    expect([status, json.error?.code]).toEqual([504, 'outcome_unknown']);
    expect(json.error?.message).toMatch(/ in ten seconds: .* EventStoreDB is sure only after half a minute\.$/);
    expect((await pay('order-7')).json.error?.message).not.toContain('EventStoreDB');
  });
});
