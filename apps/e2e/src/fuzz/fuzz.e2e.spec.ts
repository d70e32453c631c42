import fc from 'fast-check';
import { runPaymentsCommand } from '../payments-command.fixture.js';
import { baseUrl, call, sandboxUrl } from '../client.js';
import { expectDocumented } from '../documented-responses.js';
import { payDownTo, type TestUser, loadDemoUser, unknownEmail } from '../users.js';
import { loadToken } from '../sign-in.js';
import type { WireMe, WirePayment } from '../wire.js';
import { documentedOperations } from './documented-operations.js';
import { fuzzedRequests, PAYMENT } from './fuzzed-requests.js';
import { RawCaller, type RawResponse, type RawRequest } from './raw-call.js';

const isLong = process.env.FUZZ === 'long';
const RUNS = Number(process.env.FUZZ_RUNS ?? (isLong ? 20_000 : 1_500));
const TIMEOUT_MS = isLong ? 1_800_000 : 400_000;
/** The same seed sends the same requests. The short form has a fixed one, so that it fails only after a change; the long one varies. */
const SEED = Number(process.env.FUZZ_SEED ?? (isLong ? Date.now() % 2 ** 31 : 20_261_122));
/** Only these operations may change the compared state. */
const CHANGING = /^(?:POST|PUT) .*\/payments/;
/** Statuses that are so frequent that a run without one of them is broken. */
const MET_ALWAYS = [200, 400, 401, 403, 404, 405, 413, 414, 415, 422];

/** Requests that this spec once parsed differently than the gateway. */
const MET_BEFORE: [RawRequest][] = [
  [
    {
      method: 'PUT',
      target: '/v1/payments/PAYMENT-1%2F?access_token=TOKEN-alice',
      headers: [['content-type', 'application/x-www-form-urlencoded']],
      body: 'a',
    },
  ],
];

/** The checks of the ledger that run in the end. */
const VERIFIED = ['wallets', 'transit', 'payouts', 'fees', 'funding', 'read models'];

describe('fuzzed requests', () => {
  const operations = documentedOperations();
  const { origin } = new URL(baseUrl());
  const caller = new RawCaller(origin);
  const placeholders = new Map<string, string>();
  const paymentIds: string[] = [];
  let users: TestUser[];
  let balancesBefore: number[];
  /** The state of each environment, which a rejected request must not change. */
  let known: unknown[];

  beforeAll(async () => {
    users = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob'), loadDemoUser('carol')]);
    const [alice, bob] = users as [TestUser, TestUser];
    placeholders.set('TOKEN-alice', alice.token).set('TOKEN-bob', bob.token);
    placeholders.set('TOKEN-profile', await loadToken('alice', ['access_profile']));
    placeholders.set('TOKEN-spare', await loadToken('alice', ['access_profile', 'access_friends']));
    for (const [actor, target] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      for (let made = 0; made < 10; made += 1) {
        paymentIds.push((await actor.send({ user_id: target.id }, '-0.01')).body.data.payment.id);
      }
    }
    known = await state();
    balancesBefore = await Promise.all(users.map((user) => user.balanceCents()));
  });
  afterAll(async () => {
    caller.close();
    // The requests include the largest payments from a funding source, which must not accumulate in a balance.
    for (const [at, user] of users.entries()) {
      await payDownTo(balancesBefore[at] ?? 0, user, { email: unknownEmail() });
    }
  });

  /** Reads balances and newest payments of all users, in production and in the sandbox. */
  const state = () => Promise.all([baseUrl(), sandboxUrl()].map(stateBelow));

  const stateBelow = (base: string) =>
    Promise.all(
      users.map(async ({ token }) => {
        const [me, payments] = await Promise.all([
          call<WireMe>(`${base}/me`, { token }),
          call<WirePayment[]>(`${base}/payments`, { token, query: { limit: 50 } }),
        ]);
        return [me.body.data.balance, payments.body.data];
      }),
    );

  const withKnown = (text: string): string => {
    const withTokens = text.replaceAll(/TOKEN-[a-z]+/g, (name) => placeholders.get(name) ?? name);
    return withTokens.replaceAll(PAYMENT, (_, at: string) => paymentIds[Number(at) % paymentIds.length] ?? '');
  };

  const filledIn = (request: RawRequest): RawRequest => ({
    method: request.method,
    target: withKnown(request.target),
    headers: request.headers.map(([name, value]) => [name, withKnown(value)]),
    body: withKnown(request.body),
  });

  /** Parses the target as the gateway does: unescaped, but an escaped slash does not separate parts. */
  function urlOf({ target }: RawRequest): string {
    const path = (target.split('?')[0] ?? '').replaceAll(/%2f/gi, 'x');
    try {
      return origin + decodeURIComponent(path).replaceAll(/[^!-~]|[?#\\]/g, 'x');
    } catch {
      return origin + path;
    }
  }

  /** Returns whether the request was accepted and may have changed state. */
  const isChange = (request: RawRequest, { status }: RawResponse): boolean =>
    status < 400 && CHANGING.test(`${request.method} ${urlOf(request)}`);

  /** Returns the state that the request must not have changed: all of it, or that of the other environment. */
  function untouchedBy(request: RawRequest, response: RawResponse, [real, sandbox]: readonly unknown[]): unknown {
    if (!isChange(request, response)) return [real, sandbox];
    return new URL(urlOf(request)).pathname.startsWith('/sandbox/') ? real : sandbox;
  }

  function remember({ text }: RawResponse): void {
    const { data } = JSON.parse(text) as { data: { payment?: WirePayment } };
    if (data.payment?.status === 'pending') paymentIds.unshift(data.payment.id);
  }

  // Shows request-50, request-51
  it(
    'given fuzzed requests, when they are sent, then each response is documented and a rejected request changes nothing',
    async () => {
      process.stderr.write(`Fuzzing with FUZZ_SEED=${SEED}, ${RUNS} requests\n`);
      const statuses = new Map<number, number>();
      const property = fc.asyncProperty(fuzzedRequests(operations), async (fuzzed) => {
        const request = filledIn(fuzzed);
        const response = await caller.send(request);
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        expect(response.status).toBeLessThan(500);
        expectDocumented({ method: request.method, url: urlOf(request), ...response });
        if (['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return;
        const now = await state();
        expect(untouchedBy(request, response, now)).toEqual(untouchedBy(request, response, known));
        if (isChange(request, response)) remember(response);
        known = now;
      });
      // Shrinking is off, because the state that a request finds depends on earlier requests.
      await fc.assert(property, { numRuns: RUNS, seed: SEED, examples: MET_BEFORE, endOnFailure: true });
      process.stderr.write(`Answered: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}\n`);
      expect(MET_ALWAYS.filter((status) => !statuses.has(status))).toEqual([]);
      const verified = await runPaymentsCommand('ledger', 'verify');
      for (const kind of VERIFIED) expect(verified).toMatch(new RegExp(`^${kind}: in order$`, 'm'));
    },
    TIMEOUT_MS,
  );
});
