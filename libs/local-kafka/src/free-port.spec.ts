import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { freePort } from './free-port.js';

/** The first port that Linux gives to outgoing connections; other systems begin later. */
const FIRST_EPHEMERAL = 32_768;

describe('freePort', () => {
  it('given ports that were drawn and are not listened on yet, when others are drawn, then none is drawn twice or could be of a connection', async () => {
    const drawn = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(drawn).size).toBe(50);
    expect(Math.max(...drawn)).toBeLessThan(FIRST_EPHEMERAL);
  });

  it('given a port in use, when it is asked for or comes next, then it is refused or passed over', async () => {
    const used = (await freePort()) + 1;
    const server = createServer().listen(used, '127.0.0.1');
    await once(server, 'listening');
    await expect(freePort((server.address() as AddressInfo).port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(await freePort()).not.toBe(used);
    await once(server.close(), 'close');
    expect(await freePort(used)).toBe(used);
  });
});
