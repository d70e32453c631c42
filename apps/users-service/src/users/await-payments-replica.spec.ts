import { SettleError, usersKnown, type UsersKnown } from '@settle/contracts';
import { InMemoryBus, MessageClient, type RequestHandler } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { awaitPaymentsReplica } from './await-payments-replica.js';

const RECORD = { key: 'user:1852942301724180481', epoch: 2, version: 3 };

describe('a change that payments must know of', () => {
  let bus: InMemoryBus;

  beforeEach(() => {
    bus = new InMemoryBus({ logger: createLogger({ level: 'silent', service: 'spec' }) });
  });
  afterEach(() => bus.close());

  const ask = () => awaitPaymentsReplica(new MessageClient(bus), RECORD);
  const answer = (handler: RequestHandler) => bus.handle(usersKnown.topic, usersKnown.pattern, handler);

  it('given payments that know, when asked, then it is confirmed, having named the record and its version', async () => {
    const asked: object[] = [];
    answer(async (payload, { key }) => {
      asked.push({ ...payload, keyedBy: key });
      return { version: (payload as UsersKnown).version };
    });
    await ask();
    expect(asked).toEqual([{ ...RECORD, keyedBy: RECORD.key }]);
  });

  it('given a record that was never published, when awaited, then there is nothing to wait for', async () => {
    await awaitPaymentsReplica(new MessageClient(bus), { ...RECORD, version: 0 });
  });

  const late = { code: 'outcome_unknown', message: 'The change is stored and takes effect shortly.' };

  it('given no payments service, when asked, then the change is stored and takes effect shortly', async () => {
    await expect(ask()).rejects.toMatchObject(late);
  });

  it.each(['outcome_unknown', 'service_unavailable'] as const)(
    'given payments that answer %s, when asked, then the change is stored and takes effect shortly',
    async (code) => {
      answer(() => Promise.reject(new SettleError(code, 'Not now.')));
      await expect(ask()).rejects.toMatchObject(late);
    },
  );

  // Shows create-25
  it('given payments that say nothing, when asked, then that is said after two seconds', async () => {
    let answerAfterAll = (_reply: object): void => undefined;
    answer(() => new Promise((resolve) => (answerAfterAll = resolve)));
    const startedAtMs = performance.now();
    await expect(ask()).rejects.toMatchObject(late);
    expect(performance.now() - startedAtMs).toBeLessThan(2_500);
    answerAfterAll({});
  });
});
