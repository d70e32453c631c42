import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@settle/config';
import { createMessageSecret } from '@settle/provider-api';
import { claimDataFolder, type ClaimedFolder } from './data-folder.js';
import { environmentBeside } from './environment-beside.js';
import { connectReferenceProvider } from './reference-provider.js';

const SECRETS = {
  settle_users: 'a b',
  settle_users_migrations: 'd',
  settle_payments: 'c',
  settle_payments_migrations: 'e',
};

let dataDir: string;
let claim: ClaimedFolder | null;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'settle beside '));
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres', 'settle.port'), '5433\n');
  await writeFile(join(dataDir, 'secrets.json'), JSON.stringify(SECRETS));
  claim = null;
});
afterEach(async () => {
  await claim?.release();
  await rm(dataDir, { recursive: true, force: true });
});

const beside = (env: Record<string, string> = {}) => environmentBeside('users', { DATA_DIR: dataDir, ...env });

describe('environmentBeside', () => {
  it('given a folder on which nothing runs, when asked, then one line says what to do', async () => {
    await expect(beside()).rejects.toThrow(`No Settle runs on ${dataDir}: start it, set DATA_DIR`);
  });

  it('given a database where nothing runs, when asked, then it is taken as the one of the service', async () => {
    const env = { DATABASE_URL: 'postgres://me:secret@127.0.0.1:5432/people', KAFKA_BROKERS: 'kafka:9092' };
    expect(await beside(env)).toEqual({ DATA_DIR: dataDir, ...env });
  });

  it('given what runs in one process, when asked, then it is the database of that service alone, and no Kafka', async () => {
    claim = await claimDataFolder(dataDir);
    expect(await beside({ KAFKA_PORT: '0', PORT: '0', LOG_LEVEL: 'warn' })).toMatchObject({
      DATABASE_URL: 'postgresql://settle_users:a%20b@127.0.0.1:5433/settle_users',
      MIGRATIONS_DATABASE_URL: 'postgresql://settle_users_migrations:d@127.0.0.1:5433/settle_users',
      KAFKA_BROKERS: '',
      LOG_LEVEL: 'warn',
    });
  });

  it('given a stack on a server of the operator, when asked, then it is there, with the Kafka of the stack', async () => {
    claim = await claimDataFolder(dataDir);
    const note = { port: 1, secret: 'x', brokers: ['127.0.0.1:9092', '127.0.0.1:9093'] };
    await writeFile(join(dataDir, 'control.json'), JSON.stringify(note));
    expect(await beside({ DATABASE_URL: 'postgres://admin:secret@db.example.com:5432/postgres' })).toMatchObject({
      DATABASE_URL: 'postgres://settle_users:a%20b@db.example.com:5432/settle_users',
      MIGRATIONS_DATABASE_URL: 'postgres://settle_users_migrations:d@db.example.com:5432/settle_users',
      KAFKA_BROKERS: '127.0.0.1:9092,127.0.0.1:9093',
    });
  });

  describe('given a reference provider, when asked', () => {
    const url = 'http://127.0.0.1:3100';
    const provider = { url, pagesUrl: `${url}/pages`, secretFile: '/data/secret' };
    const urlFor = async (service: 'users' | 'payments', env: Record<string, string> = {}) =>
      (await environmentBeside(service, { DATA_DIR: dataDir, ...env }))['FUNDING_PROVIDER_URL'];

    beforeEach(async () => {
      claim = await claimDataFolder(dataDir);
      await connectReferenceProvider(readSettings({ DATA_DIR: dataDir }), provider);
    });

    it('then commands of payments alone get its settings', async () => {
      expect(await environmentBeside('payments', { DATA_DIR: dataDir })).toMatchObject({
        FUNDING_PROVIDER_URL: url,
        FUNDING_PROVIDER_SECRET_FILE: '/data/secret',
        FUNDING_PAGE_ORIGINS: url,
      });
      expect(await urlFor('users')).toBeUndefined();
    });

    it('then another provider of the environment stays', async () => {
      const other = { FUNDING_PROVIDER_URL: 'http://127.0.0.1:1', FUNDING_PROVIDER_SECRET: createMessageSecret() };
      expect(await urlFor('payments', other)).toBe(other.FUNDING_PROVIDER_URL);
    });

    it('then it is forgotten by a start without it', async () => {
      await connectReferenceProvider(readSettings({ DATA_DIR: dataDir }), null);
      expect(await urlFor('payments')).toBeUndefined();
    });
  });

  it('given a folder on which something is just being made, when asked, then one line says so', async () => {
    claim = await claimDataFolder(dataDir);
    await rm(join(dataDir, 'secrets.json'));
    await expect(beside()).rejects.toThrow(`Nothing has run on the data folder ${dataDir} yet`);
  });
});
