import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@settle/testing';

const UNPRIVILEGED_UID = 65534;
const PASSWORD = 'drill';
/** The folder in which Debian installs the programs of a server. */
const DEBIAN = '/usr/lib/postgresql';

/** Returns the folder of an installed PostgreSQL server with all its programs, or null. */
export function findInstalledPostgres(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [...versions.map((version) => join(DEBIAN, version, 'bin')), ...(process.env.PATH ?? '').split(':')];
  const programs = ['initdb', 'pg_ctl', 'pg_basebackup', 'postgres'];
  return folders.find((folder) => programs.every((program) => existsSync(join(folder, program)))) ?? null;
}

/** A PostgreSQL server that the operator runs, not Settle. */
export class OwnPostgres {
  private constructor(
    readonly programs: string,
    readonly folder: string,
    readonly port: number,
  ) {}

  /** @param more lines of `postgresql.conf`, made of the folder that the server's account may write to */
  static async start(programs: string, more: (folder: string) => readonly string[] = () => []): Promise<OwnPostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'settle-own-postgres-'));
    await chmod(folder, 0o755);
    const server = new OwnPostgres(programs, folder, await freePort());
    if (process.getuid?.() === 0) await chown(folder, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
    const passwordFile = join(folder, 'password');
    await writeFile(passwordFile, PASSWORD);
    await server.run('initdb', '--auth=scram-sha-256', '--username=postgres', `--pwfile=${passwordFile}`);
    const settings = [`port = ${server.port}`, `listen_addresses = '127.0.0.1'`, `unix_socket_directories = ''`];
    await appendFile(join(server.data, 'postgresql.conf'), `${[...settings, ...more(folder)].join('\n')}\n`);
    await server.run('pg_ctl', 'start', '--wait', '--log', join(folder, 'log'));
    return server;
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  get url(): string {
    return `postgresql://postgres:${PASSWORD}@127.0.0.1:${this.port}/postgres`;
  }

  /** Runs one of the server's programs on its data, as the account that owns them. */
  async run(program: string, ...args: readonly string[]): Promise<void> {
    const owner = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : {};
    const options = { ...owner, cwd: this.folder };
    // A started server must not keep the pipes open that this process waits for.
    const silently = program === 'pg_ctl' ? '>/dev/null 2>&1' : '';
    const command = `exec "$0" "$@" ${silently}`;
    const words = [join(this.programs, program), ...args, `--pgdata=${this.data}`];
    await promisify(execFile)('sh', ['-c', command, ...words], options);
  }

  /**
   * Replaces the data with the copy of a backup by the documented steps.
   * @param recovery settings with which the copy recovers from an archive; null: the copy is complete
   */
  async replaceData(copy: string, recovery: readonly string[] | null = null): Promise<void> {
    await this.run('pg_ctl', 'stop', '--mode=immediate', '--wait');
    execFileSync('mv', [this.data, `${this.data}.lost`]);
    execFileSync('cp', ['-R', copy, this.data]);
    if (recovery !== null) {
      await appendFile(join(this.data, 'postgresql.conf'), `${recovery.join('\n')}\n`);
      await writeFile(join(this.data, 'recovery.signal'), '');
    }
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${UNPRIVILEGED_UID}:${UNPRIVILEGED_UID}`, this.data]);
    await chmod(this.data, 0o700);
    await this.run('pg_ctl', 'start', '--wait', '--log', join(this.folder, 'log'));
  }

  /** Runs the command that `npm run backup` prints in a shell. */
  async baseBackup(args: string): Promise<void> {
    const env = { ...process.env, PGPASSWORD: PASSWORD };
    await promisify(execFile)('sh', ['-c', `'${join(this.programs, 'pg_basebackup')}' ${args}`], { env });
  }

  async stop(): Promise<void> {
    await this.run('pg_ctl', 'stop', '--mode=immediate', '--wait').catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true });
  }
}
