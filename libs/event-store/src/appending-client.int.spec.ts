import { EventStoreDbStandIn } from '@settle/testing';
import { AppendingClient, prepareAppend } from './appending-client.js';
import { buildAppend } from './contract.fixture.js';
import { NotSent } from './eventstoredb-errors.js';
import { NO_STREAM } from './event-store.js';
import { EVENT_STORE_DB_LIMITS } from './limits.js';

describe('the client that appends to EventStoreDB', () => {
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

  const sent = (stream: string) => prepareAppend(buildAppend(stream, NO_STREAM, [1]), EVENT_STORE_DB_LIMITS);

  it('given a slow server, when an append has milliseconds left, then it is not sent and its neighbors are stored', async () => {
    await client.append(sent('wallet-0'), EVENT_STORE_DB_LIMITS.answerMs);
    standIn.freeze();
    const neighbor = client.append(sent('wallet-1'), EVENT_STORE_DB_LIMITS.answerMs);
    const almostOver = EVENT_STORE_DB_LIMITS.sendAtLeastMs / 2;
    await expect(client.append(sent('wallet-2'), almostOver)).rejects.toThrow(NotSent);
    standIn.thaw();
    await neighbor;
    expect((await standIn.state()).events).toBe(2);
  });
});
