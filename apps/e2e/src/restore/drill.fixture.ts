import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, programEnvironment } from '@settle/testing';
import { runPaymentsCommand } from '../payments-command.fixture.js';
import { loadDemoUser, type TestUser } from '../users.js';
import { startShape, type Shape } from '../shapes.js';
import type { Product } from '../product.js';

const IN_FLIGHT = 64;
/** Payments in flight while a backup is taken: many, without filling the copy with tens of thousands that every later step reads. */
export const IN_FLIGHT_BESIDE_BACKUP = 4;
const TOOLS = new URL('../../../../tools/', import.meta.url);

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

/** A product on its own data folder, which is backed up, lost and restored. */
export class Drill {
  #product: Product | null = null;

  private constructor(
    readonly folder: string,
    private readonly shape: Shape,
    private readonly env: Readonly<Record<string, string>>,
    private readonly before: NodeJS.ProcessEnv,
  ) {}

  /**
   * @param env settings in addition to those of every product under test
   * @param prepare prepares the data folder before the first start
   */
  static async begin(
    shape: Shape,
    env: Readonly<Record<string, string>> = {},
    prepare: (dataDir: string) => void = () => undefined,
  ): Promise<Drill> {
    const folder = await mkdtemp(join(tmpdir(), 'settle-drill-'));
    prepare(join(folder, 'data'));
    const drill = new Drill(folder, shape, env, { ...process.env });
    Object.assign(process.env, { E2E_SHAPE: shape, E2E_DATA_DIR: drill.dataDir });
    await drill.start();
    return drill;
  }

  get dataDir(): string {
    return join(this.folder, 'data');
  }

  /** Starts the product; a second start uses the same address. */
  async start(): Promise<void> {
    const port = this.#product === null ? null : Number(new URL(this.#product.baseUrl).port);
    const options = { dataDir: this.dataDir, port, env: this.env, counts: {} };
    this.#product = await timed('start', () => startShape(this.shape, options));
    process.env.BASE_URL = this.#product.baseUrl;
  }

  /** Kills the product and its servers, and removes these parts of the data folder, or all of it if none is named. */
  async lose(...parts: readonly string[]): Promise<void> {
    const servers = await Promise.all(['postgres/postmaster.pid', 'kafka/broker.pid'].map((note) => this.#pidIn(note)));
    await this.#product?.kill();
    for (const pid of servers) {
      if (pid === null || !isAlive(pid)) continue;
      process.kill(pid, 'SIGKILL');
      await eventually(() => expect(isAlive(pid)).toBe(false));
    }
    for (const part of parts.length === 0 ? [''] : parts) {
      await rm(join(this.dataDir, part), { recursive: true, force: true });
    }
  }

  async #pidIn(note: string): Promise<number | null> {
    const text = await readFile(join(this.dataDir, note), 'utf8').catch(() => '');
    return Number.parseInt(text, 10) || null;
  }

  /** Runs `npm run backup` or `npm run restore` on the data folder. @param more settings that differ from those of the product */
  run(
    tool: 'backup' | 'restore',
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const program = fileURLToPath(new URL(`${tool}.mjs`, TOOLS));
    const env = { ...programEnvironment(), ...this.env, DATA_DIR: this.dataDir, ...more };
    return new Promise((resolve) => {
      execFile(process.execPath, ['--no-warnings', program, ...args], { env }, (error, output, complaint) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output, complaint });
      });
    });
  }

  /** Runs a command that must succeed and returns its output. */
  async mustRun(tool: 'backup' | 'restore', ...args: readonly string[]): Promise<string> {
    const { code, output, complaint } = await timed(`npm run ${tool}`, () => this.run(tool, args));
    if (code !== 0) throw new Error(`${tool} ended with ${code}: ${output}${complaint}`);
    return output;
  }

  async stop(): Promise<void> {
    await this.#product?.stop();
  }

  verify(): Promise<string> {
    return runPaymentsCommand('ledger', 'verify');
  }

  async end(): Promise<void> {
    await this.#product?.stop();
    await rm(this.folder, { recursive: true, force: true });
    for (const name of ['BASE_URL', 'E2E_DATA_DIR', 'E2E_SHAPE']) {
      if (this.before[name] === undefined) delete process.env[name];
      else process.env[name] = this.before[name];
    }
  }
}

/** Prints the duration of a step. */
async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const beganAtMs = performance.now();
  try {
    return await work();
  } finally {
    process.stdout.write(`${what}: ${((performance.now() - beganAtMs) / 1_000).toFixed(1)} s\n`);
  }
}

/** Returns whether a process is alive; a zombie is not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export type DemoUsers = Readonly<Record<'alice' | 'bob' | 'carol', TestUser>>;

export async function loadDemoUsers(): Promise<DemoUsers> {
  const [alice, bob, carol] = await Promise.all((['alice', 'bob', 'carol'] as const).map((name) => loadDemoUser(name)));
  if (alice === undefined || bob === undefined || carol === undefined) throw new Error('A demo user is missing');
  return { alice, bob, carol };
}

/** Returns the sum of the three balances. */
export async function sumBalancesCents({ alice, bob, carol }: DemoUsers): Promise<number> {
  const cents = await Promise.all([alice, bob, carol].map((user) => user.balanceCents()));
  return cents.reduce((sum, each) => sum + each, 0);
}

/** Returns whether one of the three is a party of the payment and can read it. */
export async function isPaymentVisible({ alice, bob, carol }: DemoUsers, paymentId: string): Promise<boolean> {
  const responses = await Promise.all([alice, bob, carol].map((user) => user.read(paymentId)));
  return responses.some(({ status }) => status === 200);
}

/** Makes payments of one cent among the three until `isOver` and returns their ids. Rejects with the first failure. */
export async function payUntil(
  { alice, bob, carol }: DemoUsers,
  isOver: (made: number) => boolean,
  inFlight = IN_FLIGHT,
): Promise<string[]> {
  const users = [alice, bob, carol];
  const ids: string[] = [];
  let begun = 0;
  const pay = async () => {
    while (!isOver(begun)) {
      const [payer, payee] = [users[begun % 3], users[(begun + 1) % 3]];
      begun += 1;
      const body = new URLSearchParams({ user_id: payee?.id ?? '', amount: '0.01', note: 'drill' });
      const headers = { authorization: `Bearer ${payer?.token}` };
      const response = await fetch(`${process.env.BASE_URL}/payments`, { method: 'POST', headers, body });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`A payment was rejected: ${response.status} ${text}`);
      ids.push((JSON.parse(text) as { data: { payment: { id: string } } }).data.payment.id);
    }
  };
  await timed('payments', () => Promise.all(Array.from({ length: inFlight }, pay)));
  return ids;
}
