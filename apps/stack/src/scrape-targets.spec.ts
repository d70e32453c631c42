import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scrapeTargets, writeTargets } from './scrape-targets.js';

const instance = { name: 'payments-1', healthPort: 9_101, httpPort: null, pid: 1, isReady: true, restarts: 0 };

describe('the targets for Prometheus', () => {
  it('given a running instance, when the targets are made, then each has its health port and its name', () => {
    const targets = [{ targets: ['127.0.0.1:9101'], labels: { process: 'payments-1' } }];
    expect(JSON.parse(scrapeTargets({ instances: [instance] }))).toEqual(targets);
  });

  it('given an earlier file, when the targets are written, then the file is replaced and no other one is left', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'targets '));
    const file = join(folder, 'settle.json');
    await writeTargets(file, '[]');
    await writeTargets(file, scrapeTargets({ instances: [instance] }));
    expect([await readdir(folder), await readFile(file, 'utf8')]).toEqual([
      ['settle.json'],
      scrapeTargets({ instances: [instance] }),
    ]);
    await rm(folder, { recursive: true });
  });
});
