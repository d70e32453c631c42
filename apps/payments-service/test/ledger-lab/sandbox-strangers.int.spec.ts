import type { CreatePayment, PaymentTarget, UserRecord } from '@settle/contracts';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { actCommand, anEmail, createCommand, listQuery, pair, person, proves } from './people.fixture.js';
import { expectSandboxInOrder } from './sandbox.fixture.js';

const SANDBOX = { environment: 'sandbox' } as const;

describe('the sandbox between strangers', () => {
  let lab: LedgerLab;
  let instance: LabInstance;

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance({ hasSandbox: true });
  });
  afterAll(async () => {
    await expectSandboxInOrder(instance, lab);
    await lab.close();
  });

  async function createUser(): Promise<UserRecord> {
    const who = person();
    await lab.know(who);
    return who;
  }
  const send = (actor: UserRecord, target: UserRecord | PaymentTarget, change: Partial<CreatePayment> = {}) =>
    instance.commands.create(createCommand(actor, target, { ...SANDBOX, ...change }));
  const act = (actor: UserRecord, action: 'approve' | 'deny', paymentId: string) =>
    instance.commands.act({ ...actCommand(actor, action, paymentId), ...SANDBOX });
  const view = (viewer: UserRecord, paymentId: string) =>
    instance.queries.get({ paymentId, viewerId: viewer.card.id, ...SANDBOX });
  const list = async (viewer: UserRecord) =>
    (await instance.queries.list(listQuery(viewer, SANDBOX))).payments.map(({ id }) => id);

  // Shows sandbox-15
  it.each(['pay', 'charge'] as const)(
    'given a stranger, when a %s names the address, then the payee stays an unregistered address, and the id is unknown',
    async (action) => {
      const [actor, stranger, mail] = [await createUser(), await createUser(), anEmail()];
      await lab.know(proves(stranger, mail));
      const unregistered = { type: 'email', user: null, email: mail.value, phone: null };
      const { payment } = await send(actor, mail, { action });
      await instance.ledgers.sandbox.worker.claim(null);
      await instance.ledgers.sandbox.worker.claim([{ kind: 'email', value: mail.value, userId: stranger.card.id }]);
      const seen = [payment, await view(actor, payment.id)];
      const listed = await instance.queries.list(listQuery(actor, SANDBOX));
      for (const { status, target } of [...seen, ...listed.payments]) {
        expect([status, target]).toEqual(['pending', unregistered]);
      }
      await expect(view(stranger, payment.id)).rejects.toMatchObject({ code: 'resource_not_found' });
      await expect(act(stranger, 'deny', payment.id)).rejects.toMatchObject({ code: 'resource_not_found' });
      expect(await list(stranger)).toEqual([]);
      const byId = send(actor, stranger, { action });
      await expect(byId).rejects.toMatchObject({ code: 'resource_not_found' });
      const unknownId = await send(actor, person(), { action }).catch((error: unknown) => error);
      await expect(byId).rejects.toEqual(unknownId);
    },
  );

  it('given a charge to the address of a stranger, when they become friends, then it is theirs to approve', async () => {
    const [actor, other, mail] = [await createUser(), await createUser(), anEmail()];
    await lab.know(proves(other, mail));
    const { payment } = await send(actor, mail, { action: 'charge' });
    await lab.know(pair(actor, other));
    expect(await list(other)).toEqual([payment.id]);
    expect((await act(other, 'approve', payment.id)).target.user).toEqual(other.card);
  });
});
