import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@settle/testing';
import { pageUrl, signUp, verifyEmail } from './sign-up.js';
import { tryUserCommand, runUserCommand } from './operator.fixture.js';
import { type TestUser, loadDemoUser, unknownEmail } from './users.js';

/** The sweep that looks for claimants again runs every ten seconds. */
const SWEEP_WAIT_MS = 45_000;

describe('the flags that an operator sets', () => {
  let alice: TestUser;
  let bob: TestUser;
  let carol: TestUser;

  beforeAll(async () => {
    [alice, bob, carol] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob'), loadDemoUser('carol')]);
    await bob.send({ user_id: carol.id }, '0.05');
  });
  afterAll(() => runUserCommand('carol --no-frozen --no-business --no-legacy-access --verified'));

  /** Sends all requests at once and returns status and code of each. */
  async function refusals(
    requests: Readonly<Record<string, Promise<{ status: number; body: { error: { code: string } } }>>>,
  ) {
    const responses = await Promise.all(Object.values(requests));
    return Object.fromEntries(
      Object.keys(requests).map((name, at) => [name, [responses[at]?.status, responses[at]?.body.error?.code]]),
    );
  }

  it('given a user, when the operator displays them, then each flag is printed and nothing changes', async () => {
    const verified = 'business no legacy-access no verified yes frozen no frozen-for-reading no';
    expect((await runUserCommand('CAROL')).replace(/\s+/g, ' ').trim()).toBe(`carol (${carol.id}) ${verified}`);
  });

  // Shows create-20, create-21, create-22, act-13, error-32
  it('given a request of a user who is frozen, when the command has ended, then no money moves to or from the user', async () => {
    const requests = await Promise.all([bob, carol].map((actor) => actor.send({ user_id: alice.id }, '-0.01')));
    const [ofBob, ofCarol] = requests.map(({ body }) => body.data.payment.id) as [string, string];
    const toCarol = (await alice.send({ user_id: carol.id }, '-0.01')).body.data.payment.id;
    const held = (await carol.send({ email: unknownEmail() }, '0.01')).body.data.payment.id;
    const before = await carol.balanceCents();
    expect(await runUserCommand('carol --frozen')).toContain('frozen         yes');
    const refused = [403, 'account_frozen'];
    const codes = await refusals({
      'she pays': carol.send({ user_id: bob.id }, '0.01'),
      'she pays an address': carol.send({ email: unknownEmail() }, '0.01'),
      'she charges': carol.send({ user_id: bob.id }, '-0.01'),
      'she approves': carol.act(toCarol, 'approve'),
      'she is paid': bob.send({ user_id: carol.id }, '0.01'),
      'she is paid by e-mail': bob.send({ email: carol.email }, '0.01'),
      'she is paid by phone': bob.send({ phone: carol.phone }, '0.01'),
      'she is charged': bob.send({ user_id: carol.id }, '-0.01'),
      'her request is approved': alice.act(ofCarol, 'approve'),
    });
    expect(codes).toEqual(Object.fromEntries(Object.keys(codes).map((name) => [name, refused])));
    expect((await alice.act(ofBob, 'deny')).body.data.status).toBe('cancelled');
    expect((await carol.act(toCarol, 'deny')).body.data.status).toBe('cancelled');
    expect((await carol.act(ofCarol, 'cancel')).body.data.status).toBe('cancelled');
    expect((await carol.act(held, 'cancel')).body.data.status).toBe('cancelled');
    expect(await carol.balanceCents()).toBe(before + 1);
    expect(await runUserCommand('carol --frozen=false')).toContain('frozen         no');
    expect((await bob.send({ user_id: carol.id }, '0.01')).body.data.payment.status).toBe('settled');
  });

  // Shows create-17, create-18, create-19, act-14, error-31
  it('given a user who becomes a business, when the command has ended, then the user can pay and do nothing else', async () => {
    const toCarol = (await bob.send({ user_id: carol.id }, '-0.01')).body.data.payment.id;
    const ofCarol = (await carol.send({ user_id: bob.id }, '-0.01')).body.data.payment.id;
    expect(await runUserCommand('carol --business --legacy-access --no-verified')).toMatch(
      /business {7}yes\n {2}legacy-access {2}yes\n {2}verified {7}no/,
    );
    const refused = [403, 'merchant_payments_not_allowed'];
    const codes = await refusals({
      'it is paid': bob.send({ user_id: carol.id }, '0.01'),
      'it is paid by e-mail': bob.send({ email: carol.email }, '0.01'),
      'it is charged': bob.send({ user_id: carol.id }, '-0.01'),
      'it charges': carol.send({ user_id: bob.id }, '-0.01'),
      'it approves': carol.act(toCarol, 'approve'),
      'its request is approved': bob.act(ofCarol, 'approve'),
    });
    expect(codes).toEqual(Object.fromEntries(Object.keys(codes).map((name) => [name, refused])));
    expect((await carol.send({ user_id: bob.id }, '0.01')).body.data.payment.status).toBe('settled');
    for (const id of [toCarol, ofCarol])
      expect((await bob.act(id, id === toCarol ? 'cancel' : 'deny')).status).toBe(200);
    await runUserCommand('carol --no-business --no-legacy-access --verified');
    expect((await bob.send({ user_id: carol.id }, '0.01')).body.data.payment.status).toBe('settled');
  });

  // Shows act-41
  it('given claimants who are frozen or a business, when they verify the address, then the payment waits until that changes', async () => {
    const held = await Promise.all(
      ['frozen', 'business', null].map(async (flag) => {
        const [claimant, email] = [await signUp(), unknownEmail()];
        const { id } = (await alice.send({ email }, '0.02')).body.data.payment;
        if (flag !== null) await runUserCommand(`${claimant.username} --${flag}`);
        return { flag, claimant, email, id };
      }),
    );
    // The payee without a flag comes last: once that pay is settled, the others have been processed.
    for (const { claimant, email } of held) await verifyEmail(claimant, email);
    const statuses = () => Promise.all(held.map(async ({ id }) => (await alice.read(id)).body.data.status));
    await eventually(async () => expect(await statuses()).toEqual(['pending', 'pending', 'settled']));
    for (const { flag, claimant } of held) if (flag !== null) await runUserCommand(`${claimant.username} --no-${flag}`);
    const all = ['settled', 'settled', 'settled'];
    await eventually(async () => expect(await statuses()).toEqual(all), { timeoutMs: SWEEP_WAIT_MS });
    for (const { claimant } of held) expect(await claimant.balanceCents()).toBe(2);
  }, 60_000);

  // Shows token-36
  it('given flags, when a user registers an app, then only verified users and businesses with access may', async () => {
    const { username, browser } = await signUp();
    const mayRegister = async () => {
      const { status, forms } = await browser.open(pageUrl('/developers'));
      return [status, forms.some(({ action }) => action === '/developers/apps')];
    };
    expect(await mayRegister()).toEqual([200, false]);
    for (const [line, may] of [
      ['--verified', true],
      ['--business', false],
      ['--legacy-access', true],
    ] as const) {
      await runUserCommand(`${username} ${line}`);
      expect([line, await mayRegister()]).toEqual([line, [200, may]]);
    }
    const app = { name: 'Flagged', description: 'For specs.', site_url: 'https://app.example/' };
    const fields = { ...app, redirect_url: 'https://app.example/cb', more_redirect_urls: '' };
    const page = await browser.open(pageUrl('/developers'));
    expect((await browser.submit(page, fields, 'Register')).url.pathname).toMatch(/^\/developers\/apps\/\w+$/);
    await runUserCommand(`${username} --no-verified`);
    expect((await browser.submit(page, fields, 'Register')).status).toBe(403);
  });

  it('given an invalid command, when it is run, then it prints why and exits with 1', async () => {
    const away = await mkdtemp(join(tmpdir(), 'settle-nothing-'));
    const refused = await Promise.all([
      tryUserCommand('unknown --frozen'),
      tryUserCommand('carol --frosen'),
      tryUserCommand('carol', away),
    ]);
    await rm(away, { recursive: true });
    expect(refused.map(({ code, output }) => [code, output])).toEqual(Array(3).fill([1, '']));
    const [unknown, flag, nothing] = refused.map(({ complaint }) => complaint);
    expect(unknown).toContain('There is no user "unknown"');
    expect(flag).toContain('"--frosen" is no flag');
    expect(nothing).toContain(`No Settle runs on ${away}`);
    expect(refused.map(({ complaint }) => complaint).join('')).not.toMatch(/postgres(ql)?:|\bat .*\.js/);
  });
});
