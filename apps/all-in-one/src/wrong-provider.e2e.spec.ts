import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMessageSecret } from '@settle/provider-api';
import { SPEC_DATA_KEY, freePort } from '@settle/testing';
import { READY, launch, refusal, stops, useDataDir } from '../test/launch.fixture.js';

const secret = createMessageSecret();

useDataDir();

describe('a start in production with a payment provider', () => {
  let provider: Server;
  /** The answer of the provider about itself; null: none. */
  let isLive: boolean | null;

  beforeAll(async () => {
    provider = createServer((request, response) => {
      if (isLive === null) return;
      const answer = request.url === '/' ? { name: 'Spec', live: isLive } : { changes: [], cursor: null };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    await once(provider.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    provider.closeAllConnections();
    provider.close();
  });

  async function production(): Promise<Record<string, string>> {
    const port = String(await freePort());
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    return {
      ...{
        NODE_ENV: 'production',
        DATA_KEY: SPEC_DATA_KEY,
        PORT: port,
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        LOG_LEVEL: 'fatal',
      },
      ...{ FUNDING_PROVIDER_URL: url, FUNDING_PROVIDER_SECRET: secret },
    };
  }

  it('given a provider of test money, when it starts, then one line refuses it; allowed, it marks the database, which then refuses a live one', async () => {
    isLive = false;
    expect(await refusal(await production())).toMatch(/FUNDING_PROVIDER_URL: .*live: false.*ALLOW_TEST_PROVIDER=true/);
    const running = launch({ ...(await production()), ALLOW_TEST_PROVIDER: 'true' });
    await running.says(READY);
    await stops(running);
    isLive = true;
    expect(await refusal(await production())).toMatch(/is a live one, and this database was used with a test one/);
  });

  it('given a provider that does not answer, when it starts, then it serves requests all the same', async () => {
    isLive = null;
    const running = launch(await production());
    expect((await fetch(`${await running.says(READY)}/v1/me`)).status).toBe(401);
    await stops(running);
  });
});
