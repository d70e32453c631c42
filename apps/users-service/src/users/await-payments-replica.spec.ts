import { SettleError, usersKnown, type UsersKnown } from '@settle/contracts';
import { InMemoryBus, MessageClient, type RequestHandler } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { awaitPaymentsReplica } from './await-payments-replica.js';

const RECORD = { key: 'user:1852942301724180481', epoch: 2, version: 3 };

describe('awaitPaymentsReplica', () => {
  let bus: InMemoryBus;

  beforeEach(() => {
    bus = new InMemoryBus({ logger: createLogger({ level: 'silent', service: 'spec' }) });
  });
  afterEach(() => bus.close());

  const awaitRecord = () => awaitPaymentsReplica(new MessageClient(bus), RECORD);
  const respond = (handler: RequestHandler) => bus.handle(usersKnown.topic, usersKnown.pattern, handler);

  it('given a payments-service that has the record, when it is awaited, then it is confirmed, and the request named the record and its version', async () => {
    const requests: object[] = [];
    respond(async (payload, { key }) => {
      requests.push({ ...payload, keyedBy: key });
      return { version: (payload as UsersKnown).version };
    });
    await awaitRecord();
    expect(requests).toEqual([{ ...RECORD, keyedBy: RECORD.key }]);
  });

  it('given a record that was never published, when it is awaited, then no request is sent', async () => {
    await awaitPaymentsReplica(new MessageClient(bus), { ...RECORD, version: 0 });
  });

  const late = { code: 'outcome_unknown', message: 'The change is stored and takes effect shortly.' };

  it('given no payments-service, when a record is awaited, then the error says that the change takes effect shortly', async () => {
    await expect(awaitRecord()).rejects.toMatchObject(late);
  });

  it.each(['outcome_unknown', 'service_unavailable'] as const)(
    'given a payments-service that responds with %s, when a record is awaited, then the error says that the change takes effect shortly',
    async (code) => {
      respond(() => Promise.reject(new SettleError(code, 'Not now.')));
      await expect(awaitRecord()).rejects.toMatchObject(late);
    },
  );

  // Shows create-25
  it('given a payments-service that does not respond, when a record is awaited, then the error comes after two seconds', async () => {
    let respondLate = (_reply: object): void => undefined;
    respond(() => new Promise((resolve) => (respondLate = resolve)));
    const startedAtMs = performance.now();
    await expect(awaitRecord()).rejects.toMatchObject(late);
    expect(performance.now() - startedAtMs).toBeLessThan(2_500);
    respondLate({});
  });
});
