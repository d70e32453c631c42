import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@settle/testing';
import { beside } from '../beside-product.fixture.js';
import { personNamed, type Person } from '../people.js';
import { startShape, type Shape } from '../shapes.js';
import type { Product } from '../product.js';

const IN_FLIGHT = 64;
const TOOLS = new URL('../../../../tools/', import.meta.url);

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

/** A product on a data folder of its own, that is backed up, lost and restored. */
export class Drill {
  #product: Product | null = null;

  private constructor(
    readonly folder: string,
    private readonly shape: Shape,
    private readonly env: Readonly<Record<string, string>>,
    private readonly before: NodeJS.ProcessEnv,
  ) {}

  /** @param env settings beside those that every product under test gets */
  static async begin(shape: Shape, env: Readonly<Record<string, string>> = {}): Promise<Drill> {
    const folder = await mkdtemp(join(tmpdir(), 'settle-drill-'));
    const drill = new Drill(folder, shape, env, { ...process.env });
    Object.assign(process.env, { E2E_SHAPE: shape, E2E_DATA_DIR: drill.dataDir });
    await drill.start();
    return drill;
  }

  get dataDir(): string {
    return join(this.folder, 'data');
  }

  /** Starts the product, the second time at the address where it was. */
  async start(): Promise<void> {
    const port = this.#product === null ? null : Number(new URL(this.#product.baseUrl).port);
    const options = { dataDir: this.dataDir, port, env: this.env, counts: {} };
    this.#product = await timed('start', () => startShape(this.shape, options));
    process.env.BASE_URL = this.#product.baseUrl;
  }

  /** Kills the product and its servers, and removes these parts of the data folder, all of it when none is named. */
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

  /** Runs `npm run backup` or `npm run restore` on the data folder. @param more settings that differ from the product's */
  run(
    tool: 'backup' | 'restore',
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const program = fileURLToPath(new URL(`${tool}.mjs`, TOOLS));
    const env = { PATH: process.env.PATH, ...this.env, DATA_DIR: this.dataDir, ...more };
    return new Promise((resolve) => {
      execFile(process.execPath, ['--no-warnings', program, ...args], { env }, (error, output, complaint) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output, complaint });
      });
    });
  }

  /** The same for a command that must do what it says; resolves with what it prints. */
  async mustRun(tool: 'backup' | 'restore', ...args: readonly string[]): Promise<string> {
    const { code, output, complaint } = await timed(`npm run ${tool}`, () => this.run(tool, args));
    if (code !== 0) throw new Error(`${tool} ended with ${code}: ${output}${complaint}`);
    return output;
  }

  async stop(): Promise<void> {
    await this.#product?.stop();
  }

  verify(): Promise<string> {
    return beside('ledger', 'verify');
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

/** Shows how long each step takes. */
async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const beganAtMs = performance.now();
  try {
    return await work();
  } finally {
    process.stdout.write(`${what}: ${((performance.now() - beganAtMs) / 1_000).toFixed(1)} s\n`);
  }
}

/** A zombie is dead. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export type People = Readonly<Record<'alice' | 'bob' | 'carol', Person>>;

export async function demoPeople(): Promise<People> {
  const [alice, bob, carol] = await Promise.all((['alice', 'bob', 'carol'] as const).map((name) => personNamed(name)));
  if (alice === undefined || bob === undefined || carol === undefined) throw new Error('A demo user is missing');
  return { alice, bob, carol };
}

/** What the three have together. */
export async function sumCents({ alice, bob, carol }: People): Promise<number> {
  const cents = await Promise.all([alice, bob, carol].map((person) => person.balanceCents()));
  return cents.reduce((sum, each) => sum + each, 0);
}

/** Returns whether one of the three is a party of the payment and can read it. */
export async function isThere({ alice, bob, carol }: People, paymentId: string): Promise<boolean> {
  const answers = await Promise.all([alice, bob, carol].map((person) => person.read(paymentId)));
  return answers.some(({ status }) => status === 200);
}

/** Makes payments of one cent among the three until `isOver`; rejects with the first that is not made. Returns their ids. */
export async function payUntil({ alice, bob, carol }: People, isOver: (made: number) => boolean): Promise<string[]> {
  const people = [alice, bob, carol];
  const ids: string[] = [];
  let begun = 0;
  const pay = async () => {
    while (!isOver(begun)) {
      const [payer, payee] = [people[begun % 3], people[(begun + 1) % 3]];
      begun += 1;
      const body = new URLSearchParams({ user_id: payee?.id ?? '', amount: '0.01', note: 'drill' });
      const headers = { authorization: `Bearer ${payer?.token}` };
      const response = await fetch(`${process.env.BASE_URL}/payments`, { method: 'POST', headers, body });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`A payment was refused: ${response.status} ${text}`);
      ids.push((JSON.parse(text) as { data: { payment: { id: string } } }).data.payment.id);
    }
  };
  await timed('payments', () => Promise.all(Array.from({ length: IN_FLIGHT }, pay)));
  return ids;
}
