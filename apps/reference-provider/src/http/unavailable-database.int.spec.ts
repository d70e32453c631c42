import { eventually } from '@settle/testing';
import { startProvider, type RunningProvider } from '../../test/provider.fixture.js';

describe('a reference provider whose database is unavailable', () => {
  let running: RunningProvider;
  beforeEach(async () => {
    running = await startProvider();
  });
  afterEach(() => running.close());

  it('given a provider that was ready, when a request meets the failure, then it is not ready', async () => {
    const { client, database, isReady } = running;
    await eventually(async () => expect(await isReady()).toBe(true));
    await database.disconnect();
    try {
      expect(await client.send('GET', '/charges/k1')).toMatchObject({ status: 500 });
      expect(await isReady()).toBe(false);
    } finally {
      await database.reconnect();
    }
    await eventually(async () => expect(await isReady()).toBe(true));
    expect(await client.send('GET', '/charges/k1')).toMatchObject({ status: 404 });
  });
});
