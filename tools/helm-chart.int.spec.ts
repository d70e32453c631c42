import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DATABASE_SERVICES } from '@settle/contracts';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import { environmentIn, podsOf, render } from './helm-chart/rendered-chart.js';

const run = promisify(execFile);
const root = path.dirname(import.meta.dirname);

let database: FreshDatabase;
let folder: string;
beforeEach(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'settle-chart-'));
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

describe('the migrations of the Helm chart', () => {
  it.each(DATABASE_SERVICES)(
    'given the Job of %s as rendered, when its container runs as a process, then the database is up to date',
    async (service) => {
      await writeFile(path.join(folder, 'MIGRATIONS_DATABASE_URL'), await database.separateMigrations());
      const jobs = (await render({})).filter(({ kind }) => kind === 'Job');
      for (const { metadata } of jobs) expect(metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
      const container = podsOf(jobs)
        .flatMap((pod) => pod.containers)
        .find(({ name }) => name === `${service}-migrations`);
      const { stdout } = await run(process.execPath, container!.command.slice(1), {
        cwd: root,
        env: environmentIn(container!, folder),
        timeout: 60_000,
      });
      expect(stdout).toMatch(new RegExp(`^${service}: the database is up to date, [1-9][0-9]* migrations? ran`));
    },
  );
});
