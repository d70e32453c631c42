import { randomBytes } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@settle/config';
import { isDatabaseReady } from '@settle/postgres';
import { eventually, testAdminUrl } from '@settle/testing';
import pg from 'pg';
import { LedgerLab } from './ledger-lab.fixture.js';
import { person } from './people.fixture.js';

let folder: string;
let lab: LedgerLab;
let admin: pg.Client;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settle-secrets-'));
  lab = await LedgerLab.open();
  admin = new pg.Client(testAdminUrl());
  await admin.connect();
});
afterEach(async () => {
  await admin.end();
  await lab.close();
  await rm(folder, { recursive: true });
});

describe('the password of the database, in a file', () => {
  it('given payments that run, when role and file get another password and every connection is lost, then payments go on', async () => {
    const file = join(folder, 'database-url');
    await writeFile(file, `${lab.url}\n`);
    expect(readSettings({ DATABASE_URL_FILE: file }).databaseUrl).toBe(lab.url);
    const instance = await lab.instance();
    const [ann, ben] = [person(), person()];
    await lab.know(ann, ben);
    await instance.fund(ann, 1_000);

    let paid = 0;
    const pay = async () => {
      await instance.create(ann, ben, { amountCents: 1 });
      paid += 1;
    };
    const stopping = new AbortController();
    const running = (async () => {
      while (!stopping.signal.aborted) await pay().catch(() => undefined);
    })();
    try {
      await eventually(() => expect(paid).toBeGreaterThan(2));
      await changePassword(file);
      const before = paid;
      await eventually(() => expect(paid).toBeGreaterThan(before + 5));
      await eventually(async () => expect(await isDatabaseReady(lab.url)).toBe(true));
    } finally {
      stopping.abort();
      await running;
    }
    await lab.expectInOrder();
  });
});

/** Gives the service's role another password, writes it to the file, and ends every connection of the role. */
async function changePassword(file: string): Promise<void> {
  const changed = new URL(lab.url);
  const { username, pathname } = changed;
  changed.password = randomBytes(12).toString('hex');
  await writeFile(`${file}.new`, changed.href);
  await rename(`${file}.new`, file);
  await admin.query(`alter role ${pg.escapeIdentifier(username)} password ${pg.escapeLiteral(changed.password)}`);
  const ended = await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and datname = $2',
    [username, pathname.slice(1)],
  );
  expect(ended.rowCount).toBeGreaterThan(0);
}
