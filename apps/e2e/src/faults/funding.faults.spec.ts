import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@settle/testing';
import { FUNDING_CALLS, KILLED_AT, isApproval, isNewAfter, killAt, type FundingCall } from './funding-rows.fixture.js';
import { FundingUnderFaults } from './funding-under-faults.fixture.js';
import { renewSignIns } from '../sign-in-age.fixture.js';

/** `npm run test:faults` sets it. The long form repeats each kill. */
const isLong = process.env['FAULTS'] === 'long';
const TIMES = isLong ? 3 : 1;
/** In the long form much longer than a call may still begin, so that the provider never does. */
const AWAY_MS = isLong ? 600_000 : 4_000;
const START_TIMEOUT_MS = 240_000;
const ROW_TIMEOUT_MS = isLong ? 1_200_000 : 420_000;
/** More than messages may differ from now. */
const TOO_OLD_SECONDS = 301;

const kills = FUNDING_CALLS.flatMap((call) => KILLED_AT.map(([point, at]) => ({ call, point, at, name: call.name })));

describe.each(['embedded', 'stack'] as const)('money from and to the provider while parts fail, %s', (shape) => {
  const under = new FundingUnderFaults(shape);
  beforeAll(() => under.start(), START_TIMEOUT_MS);
  afterAll(() => under.close(), START_TIMEOUT_MS);
  beforeEach(() => renewSignIns());
  afterEach(() => under.release());

  const count = async ({ kind }: Pick<FundingCall, 'kind'>) =>
    (await under.bookings()).filter((booking) => booking.kind === kind).length;

  it.each(kills)(
    'given $name, when payments-service is killed $point, then both sides agree, and nothing is lost or doubled',
    async ({ call, at }) => {
      for (let time = 0; time < TIMES; time += 1) {
        await renewSignIns();
        await call.prepare?.(under);
        const before = await count(call);
        await killAt(under, call, at);
        const happened = (await count(call)) - before;
        // Only a call that the provider never got may end without any effect, if the restart takes longer than it may begin.
        expect(at === 'request' && call.name !== 'a callback' ? [0, 1] : [1]).toContain(happened);
      }
      await under.expectEqualBooks();
    },
    ROW_TIMEOUT_MS,
  );

  it(
    'given a provider whose answers are lost, when money is charged, repaid and paid out, then each happens once on both sides',
    async () => {
      for (const call of FUNDING_CALLS.slice(0, 3)) {
        await call.prepare?.(under);
        const before = await count(call);
        under.toProvider.loseAnswers(call.isMeant);
        await call.act(under);
        under.release();
        await under.waitUntilAnswered();
        expect((await count(call)) - before).toBe(1);
      }
      await under.expectEqualBooks();
    },
    ROW_TIMEOUT_MS,
  );

  it(
    'given callbacks that come twice, late, forged, too old or with the earlier secret, when they arrive, then nothing happens twice',
    async () => {
      const before = await count({ kind: 'charge' });
      const isNew = isNewAfter(under.toProduct.requests);
      await under.saver.money.addMoney('2.00', under.saver.lastFour);
      const approval = await eventually(() => {
        const found = under.toProduct.requests.find((request) => isApproval(request) && isNew(request));
        if (found === undefined) throw new Error('No callback came');
        return found;
      });
      await under.waitUntilAnswered();
      const { body, headers } = approval;
      const late = body.replace('"version":2', '"version":1');
      const { provider } = under;
      const answers = [
        await send(headers, body),
        await send(headers, body),
        await send(provider.signCallback(late, 'newest'), late),
        await send(provider.signCallback(body, 'earlier'), body),
        await send(provider.signCallback(body, 'none of ours'), body),
        await send(provider.signCallback(body, 'newest', TOO_OLD_SECONDS), body),
        await send(headers, late),
      ];
      expect(answers).toEqual([204, 204, 204, 204, 401, 401, 401]);
      await under.waitUntilAnswered();
      expect((await count({ kind: 'charge' })) - before).toBe(1);
      await under.expectEqualBooks();
    },
    ROW_TIMEOUT_MS,
  );

  it(
    `given a provider that is away for ${AWAY_MS / 1_000} s, when money is charged and paid out, then both sides agree once it is back`,
    async () => {
      under.toProvider.goAway();
      const [charge, , payout] = FUNDING_CALLS;
      const acted = Promise.all([charge, payout].map((call) => call?.act(under)));
      await pause(AWAY_MS);
      under.release();
      await acted;
      await under.waitUntilAnswered();
      await under.expectEqualBooks();
    },
    ROW_TIMEOUT_MS,
  );

  async function send(headers: Readonly<Record<string, string>>, body: string): Promise<number> {
    const url = `${under.toProduct.url}/provider/callbacks`;
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
    return (await fetch(url, init)).status;
  }
});
