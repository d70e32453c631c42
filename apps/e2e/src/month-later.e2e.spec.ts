import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_USERS } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { call } from './client.js';
import { type TestUser, loadDemoUser, buildTestUser, unknownEmail } from './users.js';
import { ProductClock } from './product-clock.fixture.js';
import type { Product } from './product.js';
import { obtainTokens } from './server-side-flow.fixture.js';
import { startShape } from './shapes.js';

/** More than bob's balance; bob has no funding source. */
const BEYOND_BOB = '-999.99';

describe('a product that is started again a month later', () => {
  const sharedUrl = process.env.BASE_URL;
  const clock = new ProductClock(0);
  let dataDir: string;
  let port: number | null = null;
  let product: Product;
  let alice: TestUser;
  let shortLived: TestUser;

  const start = async () => {
    product = await startShape('embedded', { dataDir, port, env: clock.env });
    port = Number(new URL(product.baseUrl).port);
    process.env.BASE_URL = product.baseUrl;
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'settle-month-'));
    await start();
    shortLived = await loadDemoUser('alice');
    const { access_token: token } = await obtainTokens('alice', {
      scope: 'make_payments access_profile access_balance',
    });
    alice = buildTestUser({ ...DEMO_USERS.alice, token });
  }, 120_000);
  afterAll(async () => {
    await product.stop();
    process.env.BASE_URL = sharedUrl;
    clock.close();
    await rm(dataDir, { recursive: true, force: true });
  }, 60_000);

  // Shows act-21, act-22, act-23, act-24, act-26
  it('given pending payments, when 31 days pass while nothing runs, then each has expired and held money is returned', async () => {
    const before = await alice.balanceCents();
    const made = await Promise.all([
      alice.send({ user_id: DEMO_USERS.carol.id }, '-0.10'),
      alice.send({ email: unknownEmail() }, '-0.10'),
      alice.send({ user_id: DEMO_USERS.bob.id }, BEYOND_BOB),
      alice.send({ email: unknownEmail() }, '0.30'),
    ]);
    const ids = made.map(({ body }) => body.data.payment.id);
    const read = async () => (await Promise.all(ids.map((id) => alice.read(id)))).map(({ body }) => body.data);
    const statuses = async () => (await read()).map(({ status }) => status);
    expect(await statuses()).toEqual(Array(4).fill('pending'));

    expect(await alice.balanceCents()).toBe(before - 30);

    await product.stop();
    await clock.moveTo(31);
    await start();
    await eventually(async () => expect(await statuses()).toEqual(Array(4).fill('expired')));
    const refunds = (await read()).map(({ refund }) => refund?.amount ?? null);
    expect(refunds).toEqual([null, null, null, 0.3]);
    expect(await alice.balanceCents()).toBe(before);
    const listed = (await alice.list({ status: 'expired' })).body.data;
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const late = await alice.act(ids[0] ?? '', 'cancel');
    expect([late.status, late.body.error.code]).toEqual([409, 'payment_not_pending']);
    const old = await call('/me', { token: shortLived.token });
    expect([old.status, old.body.error.code]).toEqual([401, 'expired_token']);
  }, 180_000);
});
