import type { ProviderChange } from '@settle/provider-api';
import { APPROVED, startProvider, type RunningProvider } from '../../test/provider.fixture.js';

let running: RunningProvider;

beforeAll(async () => {
  running = await startProvider();
});
afterAll(() => running.close());

const times = <Value>(count: number, make: (at: number) => Value): Value[] =>
  Array.from({ length: count }, (_, at) => make(at));
const SOURCE = 'test-card-1';

describe('requests at the same time', () => {
  it('given one key, when it is requested with two contents, then one object exists and the other content is refused', async () => {
    const { client } = running;
    const put = (amount: number) =>
      client.send('PUT', '/charges/twice', {
        ...client.chargeBody('twice', SOURCE, amount),
        begin_before: client.beginBefore(),
      });
    const answers = await Promise.all(times(20, (at) => put(at % 2 === 0 ? 100 : 200)));
    const stored = await client.readCharge('twice');
    expect(answers.filter(({ status }) => status === 200).map(({ body }) => body)).toEqual(times(10, () => stored));
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(10);
  });

  it('given one key, when it is requested and cancelled, then all answers agree about what came first', async () => {
    const { client } = running;
    for (const key of times(10, (at) => `cancelled-${at}`)) {
      const answers = await Promise.all([
        client.cancel(key, SOURCE),
        ...times(3, () => client.charge(key, SOURCE)),
        client.cancel(key, SOURCE),
      ]);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(await client.readCharge(key)).toEqual(answers[0]);
    }
  });

  it('given a charge, when ten parts are repaid that would exceed it, then only what it has is repaid', async () => {
    const { client } = running;
    await client.charge('repaid', SOURCE, 1_000);
    const repayments = await Promise.all(times(10, (at) => client.repay(`repaid-${at}`, 'repaid', 300)));
    expect(repayments.filter(({ state }) => state === 'paid')).toHaveLength(3);
    expect(repayments.filter(({ state }) => state === 'failed')).toHaveLength(7);
  });

  it('given a key that was not known after its time, when late requests race, then it stays unknown', async () => {
    const { client, clock } = running;
    for (const key of times(10, (at) => `late-${at}`)) {
      const value = { ...client.chargeBody(key, SOURCE), begin_before: new Date(clock.nowMs + 1).toISOString() };
      const puts = times(5, () => client.send('PUT', `/charges/${key}`, value));
      // Some of the requests may be processed before the time is over.
      await client.send('GET', '/');
      clock.nowMs += 1;
      const seen = await client.send('GET', `/charges/${key}`);
      const answers = await Promise.all(puts);
      const end = await client.send('GET', `/charges/${key}`);
      if (seen.status === 404) expect(end.status).toBe(404);
      const isBegun = end.status === 200;
      expect(answers.every(({ status }) => status === (isBegun ? 200 : 410))).toBe(true);
    }
  });

  it('given a reader of changes, when objects change at the same time, then it sees every change once and in order', async () => {
    const { client } = running;
    const { cursor: start } = await client.changes();
    let isWriting = true;
    const read = async (): Promise<ProviderChange[]> => {
      const seen: ProviderChange[] = [];
      for (let cursor = start, isLast = false; !isLast;) {
        isLast = !isWriting;
        const page = await client.changes(cursor);
        seen.push(...page.changes);
        ({ cursor } = page);
      }
      return seen;
    };
    const readers = times(2, read);
    const keys = times(100, (at) => `changed-${at}`);
    await Promise.all(keys.map((key) => client.charge(key, SOURCE)));
    isWriting = false;
    const [first, second] = await Promise.all(readers);
    expect(first).toEqual((await client.changes(start)).changes);
    expect(second).toEqual(first);
    expect(first?.map(({ key }) => key).sort()).toEqual([...keys].sort());
  });

  it('given one source, when its page is sent twice at the same time, then one of them adds the card', async () => {
    const { client } = running;
    const { next_action: page } = await client.beginSource('page-twice');
    const send = () =>
      fetch(page?.url ?? '', {
        method: 'POST',
        body: new URLSearchParams({ card_number: APPROVED }),
        redirect: 'manual',
      });
    const statuses = (await Promise.all([send(), send()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([303, 410]);
    expect(await client.readSource('page-twice')).toMatchObject({ state: 'active', version: 2 });
  });
});
