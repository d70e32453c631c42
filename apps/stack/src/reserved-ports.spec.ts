import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReservedPorts } from './reserved-ports.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'settle ports '));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe('ReservedPorts', () => {
  it('given many takers at once, when ports are drawn, then no two are the same', async () => {
    const ports = await ReservedPorts.in(dataDir);
    const drawn = await Promise.all(Array.from({ length: 20 }, (_, n) => ports.take(`p${n}`)));
    expect(new Set(drawn).size).toBe(20);
  });

  it('given a port of an earlier start, when it is reserved again, then it is the same unless another process listens there', async () => {
    const first = await (await ReservedPorts.in(dataDir)).take('health');
    expect(await (await ReservedPorts.in(dataDir)).take('health')).toBe(first);
    const holder = createServer().listen(first, '127.0.0.1');
    await once(holder, 'listening');
    expect(await (await ReservedPorts.in(dataDir)).take('health')).not.toBe(first);
    holder.close();
  });
});
