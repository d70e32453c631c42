import { parseCharge } from '@settle/provider-api';
import { eventually } from '@settle/testing';
import { APPROVED, SECOND_MS, startProvider, submitForm, type RunningProvider } from '../../test/provider.fixture.js';

let running: RunningProvider;

beforeAll(async () => {
  running = await startProvider();
});
afterAll(() => running.close());

/** Lets time pass until everything that test cards do later has happened. */
const passTime = () => (running.clock.nowMs += 3 * SECOND_MS);

describe('charges', () => {
  it.each([
    [APPROVED, 'approved', null],
    ['4000000000000002', 'declined', 'declined'],
    ['4000000000009995', 'declined', 'insufficient'],
    ['4000000000000069', 'declined', 'expired_card'],
    ['4100000000000019', 'declined', 'suspected_fraud'],
  ])('given the card %s, when it is charged, then the charge is %s with code %s', async (number, state, code) => {
    const charge = await running.client.chargeCard(number);
    expect(charge).toMatchObject({ state, code, amount: 1_000, currency: 'USD', version: 1, live: false });
    expect(await running.client.readCharge(charge.key)).toEqual(charge);
  });

  it.each([
    ['4000003720000278', 'approved', null],
    ['4000000000007007', 'declined', 'declined'],
  ])('given the card %s, when it is charged, then it is pending and later %s', async (number, state, code) => {
    const { client } = running;
    const charge = await client.chargeCard(number);
    expect(charge).toMatchObject({ state: 'pending', version: 1 });
    passTime();
    const later = await eventually(async () => {
      const read = await client.readCharge(charge.key);
      expect(read.state).toBe(state);
      return read;
    });
    expect(later).toMatchObject({ id: charge.id, code, version: 2, created_at: charge.created_at });
    expect(later.updated_at > charge.updated_at).toBe(true);
  });

  it('given a card whose answer is lost, when it is charged, then no response arrives and the charge is stored', async () => {
    const { client } = running;
    await expect(client.chargeCard('4000000000007015', 'lost-1')).rejects.toThrow();
    expect(await client.readCharge('lost-1')).toMatchObject({ state: 'approved' });
  });

  it('given a source that is not known or has ended, when it is charged, then the charge is declined', async () => {
    const { client } = running;
    const source = await client.addSource(APPROVED);
    await client.send('POST', `/sources/${source}/end`, { key: source });
    expect(await client.charge('ended-source', source)).toMatchObject({ state: 'declined', code: 'other' });
    expect(await client.charge('no-source', 'nothing')).toMatchObject({ state: 'declined', code: 'other' });
  });

  it.each([
    ['test-card-1b0d', 'approved'],
    ['demo-card-7', 'approved'],
    ['test-card-declined-1', 'declined'],
  ])(
    'given the source %s from before there were providers, when it is charged, then it is %s',
    async (source, state) => {
      expect(await running.client.charge(`before-${source}`, source)).toMatchObject({ state });
    },
  );

  it('given an address of no route, when it is read, then the 404 does not say that a key is unknown', async () => {
    const { client } = running;
    const [route, key] = await Promise.all(['/v9/charges/k', '/charges/k'].map((path) => client.send('GET', path)));
    expect(route).toMatchObject({ status: 404, body: { error: { code: 'invalid_request' } } });
    expect(key).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  it('given a charge, when the key comes again, then the same object is returned, and other content is refused', async () => {
    const { client } = running;
    const source = await client.addSource(APPROVED);
    const first = await client.charge('again', source, 500);
    running.clock.nowMs += 100 * SECOND_MS;
    expect(await client.charge('again', source, 500)).toEqual(first);
    await expect(client.charge('again', source, 501)).rejects.toThrow('409');
    await expect(client.charge('again', 'test-card-1', 500)).rejects.toThrow('409');
    expect(await client.readCharge('again')).toEqual(first);
  });

  it('given begin_before in the past, when a charge is requested, then its key never begins', async () => {
    const { client, clock } = running;
    const source = await client.addSource(APPROVED);
    const late = { ...client.chargeBody('late', source), begin_before: new Date(clock.nowMs).toISOString() };
    expect((await client.send('PUT', '/charges/late', late)).status).toBe(410);
    expect((await client.send('GET', '/charges/late')).status).toBe(404);
    await expect(client.charge('late', source)).rejects.toThrow('410');
    expect((await client.send('GET', '/charges/late')).status).toBe(404);
    await running.restart();
    expect((await client.send('PUT', '/charges/late', late)).status).toBe(410);
  });

  it('given a key that is not known, when it is cancelled, then it is stored and a later request returns it', async () => {
    const { client } = running;
    const source = await client.addSource(APPROVED);
    const cancelled = await client.cancel('unknown', source);
    expect(cancelled).toMatchObject({ state: 'cancelled', amount: 1_000, version: 1 });
    expect(await client.charge('unknown', source)).toEqual(cancelled);
    expect(await client.readCharge('unknown')).toEqual(cancelled);
    await expect(client.charge('unknown', source, 999)).rejects.toThrow('409');
  });

  it('given a pending charge, when it is cancelled, then it stays cancelled', async () => {
    const { client } = running;
    const source = await client.addSource('4000003720000278');
    await client.charge('pending', source);
    const cancelled = await client.cancel('pending', source);
    expect(cancelled).toMatchObject({ state: 'cancelled', version: 2 });
    await client.charge('after', await client.addSource('4000003720000278'));
    passTime();
    // The step of the later charge has run, so that of the cancelled one has, too.
    await eventually(async () => expect((await client.readCharge('after')).state).toBe('approved'));
    expect(await client.readCharge('pending')).toEqual(cancelled);
  });

  it('given an approved charge, when it is cancelled, then it stays approved', async () => {
    const { client } = running;
    const source = await client.addSource(APPROVED);
    const charge = await client.charge('approved', source);
    expect(await client.cancel('approved', source)).toEqual(charge);
  });

  it.each([
    ['confirm', 'approved', null],
    ['refuse', 'declined', 'declined'],
  ])('given a charge that needs the user, when the answer is %s, then it is %s', async (answer, state, code) => {
    const { client } = running;
    const charge = await client.chargeCard('4000000000003220');
    expect(charge).toMatchObject({ state: 'action_required' });
    const { url = '' } = charge.next_action ?? {};
    expect(await (await fetch(url)).text()).toContain('$10.00');
    expect((await submitForm(url, { answer })).status).toBe(200);
    expect(await client.readCharge(charge.key)).toMatchObject({ state, code, next_action: null, version: 2 });
    expect((await submitForm(url, { answer: 'confirm' })).status).toBe(410);
    expect(await client.readCharge(charge.key)).toMatchObject({ state, version: 2 });
  });

  it('given a charge that needs the user, when its time is over, then it is declined', async () => {
    const { client, clock } = running;
    const charge = await client.chargeCard('4000000000003220');
    clock.nowMs = Date.parse(charge.next_action?.expires_at ?? '');
    await eventually(async () =>
      expect(await client.readCharge(charge.key)).toMatchObject({ state: 'declined', code: 'action_timeout' }),
    );
  });

  it('given requests that cannot be read, when they arrive, then they are refused and nothing is stored', async () => {
    const { client } = running;
    const good = { ...client.chargeBody('bad', 'test-card-1'), begin_before: client.beginBefore() };
    const bad = [
      { ...good, amount: 0 },
      { ...good, amount: 0.5 },
      { ...good, key: 'other' },
      { ...good, user: '' },
      [],
    ];
    for (const value of bad) expect((await client.send('PUT', '/charges/bad', value)).status).toBe(400);
    expect((await client.send('PUT', '/charges/bad', { ...good, currency: 'EUR' })).status).toBe(400);
    expect((await client.send('GET', '/charges/bad')).status).toBe(404);
    expect((await client.send('GET', '/charges/%00')).status).toBe(404);
  });

  it('given a slow card, when it is charged, then the charge is stored and the response arrives later', async () => {
    const slow = await startProvider({ laterMs: 300 });
    try {
      const source = await slow.client.addSource('4000000000007023');
      const startedAt = performance.now();
      const charge = await slow.client.charge('slow', source);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299);
      expect(parseCharge(charge)).toMatchObject({ state: 'approved' });
    } finally {
      await slow.close();
    }
  });
});
