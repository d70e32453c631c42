import fc from 'fast-check';
import { beside } from '../beside-product.fixture.js';
import { baseUrl, call, sandboxUrl } from '../client.js';
import { expectDocumented } from '../documented-answers.js';
import { payDownTo, type Person, personNamed, unknownEmail } from '../people.js';
import { tokenFor } from '../sign-in.js';
import type { WireMe, WirePayment } from '../wire.js';
import { documentedOperations } from './documented-operations.js';
import { fuzzedRequests, PAYMENT } from './fuzzed-requests.js';
import { RawCaller, type RawAnswer, type RawRequest } from './raw-call.js';

const isLong = process.env.FUZZ === 'long';
const RUNS = Number(process.env.FUZZ_RUNS ?? (isLong ? 20_000 : 1_500));
const TIMEOUT_MS = isLong ? 1_800_000 : 400_000;
/** The same one sends the same requests again: the short form judges a change by what it changed, the long one looks for more. */
const SEED = Number(process.env.FUZZ_SEED ?? (isLong ? Date.now() % 2 ** 31 : 20_261_122));
/** Only these calls may change what is looked at. */
const CHANGING = /^(?:POST|PUT) .*\/payments/;
/** Each is met so often that a run without it has gone astray. */
const MET_ALWAYS = [200, 400, 401, 403, 404, 405, 413, 414, 415, 422];

/** Once read otherwise here than by the gateway. */
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

/** What of the ledger is recounted in the end. */
const VERIFIED = ['wallets', 'transit', 'fees', 'funding', 'read models'];

describe('requests of any kind', () => {
  const operations = documentedOperations();
  const { origin } = new URL(baseUrl());
  const caller = new RawCaller(origin);
  const placeholders = new Map<string, string>();
  const paymentIds: string[] = [];
  let people: Person[];
  let balancesBefore: number[];
  /** What a refused request must leave as it was: the state of each environment. */
  let known: unknown[];

  beforeAll(async () => {
    people = await Promise.all([personNamed('alice'), personNamed('bob'), personNamed('carol')]);
    const [alice, bob] = people as [Person, Person];
    placeholders.set('TOKEN-alice', alice.token).set('TOKEN-bob', bob.token);
    placeholders.set('TOKEN-profile', await tokenFor('alice', ['access_profile']));
    placeholders.set('TOKEN-spare', await tokenFor('alice', ['access_profile', 'access_friends']));
    for (const [actor, target] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      for (let made = 0; made < 10; made += 1) {
        paymentIds.push((await actor.send({ user_id: target.id }, '-0.01')).body.data.payment.id);
      }
    }
    known = await state();
    balancesBefore = await Promise.all(people.map((person) => person.balanceCents()));
  });
  afterAll(async () => {
    caller.close();
    // The largest payments of a funding source are among those sent: they must make no user rich.
    for (const [at, person] of people.entries()) {
      await payDownTo(balancesBefore[at] ?? 0, person, { email: unknownEmail() });
    }
  });

  /** Balances and newest payments of all users, in production and in the sandbox. */
  const state = () => Promise.all([baseUrl(), sandboxUrl()].map(stateBelow));

  const stateBelow = (base: string) =>
    Promise.all(
      people.map(async ({ token }) => {
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

  /** As the gateway reads it: with its escapes undone, but an escaped slash begins no new part. */
  function urlOf({ target }: RawRequest): string {
    const path = (target.split('?')[0] ?? '').replaceAll(/%2f/gi, 'x');
    try {
      return origin + decodeURIComponent(path).replaceAll(/[^!-~]|[?#\\]/g, 'x');
    } catch {
      return origin + path;
    }
  }

  /** It was let through, to where something can change. */
  const isChange = (request: RawRequest, { status }: RawAnswer): boolean =>
    status < 400 && CHANGING.test(`${request.method} ${urlOf(request)}`);

  /** What the request may not have changed: all of it, or what is not of its environment. */
  function untouchedBy(request: RawRequest, answer: RawAnswer, [real, sandbox]: readonly unknown[]): unknown {
    if (!isChange(request, answer)) return [real, sandbox];
    return new URL(urlOf(request)).pathname.startsWith('/sandbox/') ? real : sandbox;
  }

  function remember({ text }: RawAnswer): void {
    const { data } = JSON.parse(text) as { data: { payment?: WirePayment } };
    if (data.payment?.status === 'pending') paymentIds.unshift(data.payment.id);
  }

  // Shows request-50, request-51
  it(
    'given them, when they are answered, then as documented, and what is refused changes nothing',
    async () => {
      process.stderr.write(`Fuzzing with FUZZ_SEED=${SEED}, ${RUNS} requests\n`);
      const statuses = new Map<number, number>();
      const property = fc.asyncProperty(fuzzedRequests(operations), async (fuzzed) => {
        const request = filledIn(fuzzed);
        const answer = await caller.send(request);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect(answer.status).toBeLessThan(500);
        expectDocumented({ method: request.method, url: urlOf(request), ...answer });
        if (['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return;
        const now = await state();
        expect(untouchedBy(request, answer, now)).toEqual(untouchedBy(request, answer, known));
        if (isChange(request, answer)) remember(answer);
        known = now;
      });
      // No smaller one is looked for: what a request meets depends on those before it.
      await fc.assert(property, { numRuns: RUNS, seed: SEED, examples: MET_BEFORE, endOnFailure: true });
      process.stderr.write(`Answered: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}\n`);
      expect(MET_ALWAYS.filter((status) => !statuses.has(status))).toEqual([]);
      const verified = await beside('ledger', 'verify');
      for (const kind of VERIFIED) expect(verified).toMatch(new RegExp(`^${kind}: in order$`, 'm'));
    },
    TIMEOUT_MS,
  );
});
