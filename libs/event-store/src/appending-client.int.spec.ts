import { EventStoreDbStandIn } from '@settle/testing';
import { AppendingClient, prepareAppend } from './appending-client.js';
import { buildAppend } from '../test/contract.fixture.js';
import { NotSent } from './eventstoredb-errors.js';
import { NO_STREAM } from './event-store.js';
import { EVENT_STORE_DB_LIMITS } from './limits.js';

describe('AppendingClient', () => {
  let standIn: EventStoreDbStandIn;
  let client: AppendingClient;

  beforeEach(async () => {
    standIn = await EventStoreDbStandIn.start();
    client = new AppendingClient(standIn.url, EVENT_STORE_DB_LIMITS);
  });
  afterEach(async () => {
    standIn.thaw();
    await client.close();
    await standIn.stop();
  });

  const prepare = (stream: string) => prepareAppend(buildAppend(stream, NO_STREAM, [1]), EVENT_STORE_DB_LIMITS);

  it('given a slow server, when an append has too little time left, then it is not sent and other appends are stored', async () => {
    await client.append(prepare('wallet-0'), EVENT_STORE_DB_LIMITS.answerMs);
    standIn.freeze();
    const neighbor = client.append(prepare('wallet-1'), EVENT_STORE_DB_LIMITS.answerMs);
    const almostOver = EVENT_STORE_DB_LIMITS.sendAtLeastMs / 2;
    await expect(client.append(prepare('wallet-2'), almostOver)).rejects.toThrow(NotSent);
    standIn.thaw();
    await neighbor;
    expect((await standIn.state()).events).toBe(2);
  });
});
