import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admin, asOperator } from './operator.fixture.js';
import { type Person, personNamed, unknownEmail } from './people.js';

describe('the flags that an operator sets', () => {
  let alice: Person;
  let bob: Person;
  let carol: Person;

  beforeAll(async () => {
    [alice, bob, carol] = await Promise.all([personNamed('alice'), personNamed('bob'), personNamed('carol')]);
    await bob.send({ user_id: carol.id }, '0.05');
  });
  afterAll(() => asOperator('carol --no-frozen --no-business --no-legacy-access --verified'), 20_000);

  /** Status and code of each, asked for at once. */
  async function refusals(
    asked: Readonly<Record<string, Promise<{ status: number; body: { error: { code: string } } }>>>,
  ) {
    const answers = await Promise.all(Object.values(asked));
    return Object.fromEntries(
      Object.keys(asked).map((name, at) => [name, [answers[at]?.status, answers[at]?.body.error?.code]]),
    );
  }

  it('given a person, when shown, then with each flag, and nothing changes', async () => {
    const verified = 'business no legacy-access no verified yes frozen no';
    expect((await asOperator('CAROL')).replace(/\s+/g, ' ').trim()).toBe(`carol (${carol.id}) ${verified}`);
  });

  it('given a request of a person who is frozen, when the command has ended, then no money moves to or from them', async () => {
    const requests = await Promise.all([bob, carol].map((actor) => actor.send({ user_id: alice.id }, '-0.01')));
    const [ofBob, ofCarol] = requests.map(({ body }) => body.data.payment.id) as [string, string];
    const toCarol = (await alice.send({ user_id: carol.id }, '-0.01')).body.data.payment.id;
    const held = (await carol.send({ email: unknownEmail() }, '0.01')).body.data.payment.id;
    const before = await carol.balanceCents();
    expect(await asOperator('carol --frozen')).toContain('frozen         yes');
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
    expect(await asOperator('carol --frozen=false')).toContain('frozen         no');
    expect((await bob.send({ user_id: carol.id }, '0.01')).body.data.payment.status).toBe('settled');
  }, 30_000);

  it('given a person who becomes a business, when the command has ended, then they pay and nothing else', async () => {
    const toCarol = (await bob.send({ user_id: carol.id }, '-0.01')).body.data.payment.id;
    const ofCarol = (await carol.send({ user_id: bob.id }, '-0.01')).body.data.payment.id;
    expect(await asOperator('carol --business --legacy-access --no-verified')).toMatch(
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
    await asOperator('carol --no-business --no-legacy-access --verified');
    expect((await bob.send({ user_id: carol.id }, '0.01')).body.data.payment.status).toBe('settled');
  }, 30_000);

  it('given a command that cannot be done, when it is given, then it says why, and ends with 1', async () => {
    const away = await mkdtemp(join(tmpdir(), 'settle-nothing-'));
    const refused = await Promise.all([admin('nobody --frozen'), admin('carol --frosen'), admin('carol', away)]);
    await rm(away, { recursive: true });
    expect(refused.map(({ code, output }) => [code, output])).toEqual(Array(3).fill([1, '']));
    const [unknown, flag, nothing] = refused.map(({ complaint }) => complaint);
    expect(unknown).toContain('There is no user "nobody"');
    expect(flag).toContain('"--frosen" is no flag');
    expect(nothing).toContain(`No Settle runs on ${away}`);
    expect(refused.map(({ complaint }) => complaint).join('')).not.toMatch(/postgres(ql)?:|\bat .*\.js/);
  }, 30_000);
});
