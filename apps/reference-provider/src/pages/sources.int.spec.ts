import { APPROVED, startProvider, submitForm, type RunningProvider } from '../../test/provider.fixture.js';

let running: RunningProvider;

beforeAll(async () => {
  running = await startProvider();
});
afterAll(() => running.close());

describe('adding a source', () => {
  it('given a source that was begun, when the user enters a card, then it is active and the user returns', async () => {
    const { client } = running;
    const begun = await client.beginSource('s1', 'https://pay.example.com/account/funding?state=abc');
    expect(begun).toMatchObject({ state: 'verifying', can_charge: false, can_payout: false, last4: null });
    const { url = '' } = begun.next_action ?? {};
    const page = await fetch(url);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    expect(html).toContain('For Ann Ok.');
    expect(html).not.toContain('<script');
    const answer = await submitForm(url, { card_number: '4242 4242-4242 4242' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(
      'https://pay.example.com/account/funding?state=abc&source_state=active',
    );
    const facts = { state: 'active', can_charge: true, can_payout: true, owner_match: true };
    const source = await client.readSource('s1');
    expect(source).toMatchObject({ ...facts, brand: 'Visa', last4: '4242', next_action: null, version: 2 });
    expect(await client.beginSource('s1', 'https://pay.example.com/account/funding?state=abc')).toEqual(source);
    await expect(client.beginSource('s1')).rejects.toThrow('409');
  });

  it('given a page that was used, or whose time is over, when a card is entered, then it is refused', async () => {
    const { client, clock } = running;
    const { next_action: page } = await client.beginSource('s2');
    const { url = '', expires_at: expiresAt = '' } = page ?? {};
    clock.nowMs = Date.parse(expiresAt);
    expect((await fetch(url)).status).toBe(410);
    expect((await submitForm(url, { card_number: APPROVED })).status).toBe(410);
    expect(await client.readSource('s2')).toMatchObject({ state: 'verifying', version: 1 });
    const other = (await client.beginSource('s3')).next_action?.url ?? '';
    expect((await submitForm(other, { card_number: APPROVED })).status).toBe(303);
    expect((await submitForm(other, { card_number: APPROVED })).status).toBe(410);
    expect((await fetch(`${running.url()}/cards/src_unknown`)).status).toBe(404);
  });

  it('given a number of no test card, when it is entered, then the page says so and repeats nothing of it', async () => {
    const { client } = running;
    const { next_action: page } = await client.beginSource('s4');
    const answer = await submitForm(page?.url ?? '', { card_number: '4929123412341234' });
    expect(answer.status).toBe(400);
    const html = await answer.text();
    expect(html).toContain('This is not one of the test cards.');
    expect(html).not.toContain('4929123412341234');
  });

  it('given two sources, when they have the same card, then they have the same fingerprint', async () => {
    const { client } = running;
    const keys = [await client.addSource(APPROVED), await client.addSource(APPROVED)];
    const other = await client.readSource(await client.addSource('4000000000007064'));
    const [first, second] = await Promise.all(keys.map((key) => client.readSource(key)));
    expect(first?.fingerprint).toBe(second?.fingerprint);
    expect(other.fingerprint).not.toBe(first?.fingerprint);
    expect(other.owner_match).toBe(false);
  });

  it('given a source, when it is ended, then it can no longer be used, and stays ended', async () => {
    const { client } = running;
    const key = await client.addSource(APPROVED);
    const end = () => client.send('POST', `/sources/${key}/end`, { key });
    const ended = await end();
    expect(ended.body).toMatchObject({
      state: 'ended',
      can_charge: false,
      can_payout: false,
      last4: '4242',
      version: 3,
    });
    expect(await end()).toEqual(ended);
    expect(await client.payOut('w1', key)).toMatchObject({ state: 'failed' });
    expect((await client.send('POST', '/sources/unknown/end', { key: 'unknown' })).status).toBe(404);
  });
});
