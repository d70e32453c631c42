import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMessageSecret, signMessage } from '@settle/provider-api';
import {
  eventually,
  freePort,
  freshDatabase,
  startPostgresForSpecs,
  stopPostgresOfSpecs,
  programEnvironment,
} from '@settle/testing';
import { enterCard } from './card-page.fixture.js';
import { migrate } from './service-process.fixture.js';

const MAIN = fileURLToPath(new URL('../../reference-provider/dist/main.js', import.meta.url));
/** A process that loads this module stops when its parent process has ended, because a killed test run skips its teardown. */
const END_WITH_PARENT = new URL('../../stack/dist/end-with-parent.js', import.meta.url).href;
/** How long after an answer the next one of a test card follows. */
const LATER_MS = '500';

/** The reference provider as a process, with a PostgreSQL of its own: its books are not those of the product. */
export class ProviderUnderTest {
  readonly #secret = createMessageSecret();
  /** The secret of before: while secrets are exchanged, each side accepts both. */
  readonly #earlierSecret = createMessageSecret();
  #folder = '';
  #url = '';
  #stop: () => Promise<void> = () => Promise.resolve();
  #signal: (name: NodeJS.Signals) => void = () => undefined;

  /** @param pagesOrigin where users see the pages, on a proxy that specs act as; null: on another site of this machine */
  constructor(private readonly pagesOrigin: string | null = null) {}

  /** @param productUrl where the product receives callbacks. Resolves once the provider answers. */
  async start(productUrl: string): Promise<void> {
    await startPostgresForSpecs();
    const database = await freshDatabase();
    await migrate('reference-provider', { MIGRATIONS_DATABASE_URL: await database.separateMigrations() });
    this.#folder = await mkdtemp(join(tmpdir(), 'settle-provider-'));
    await writeFile(this.secretFile, `${this.#secret}\n${this.#earlierSecret}\n`);
    const port = await freePort();
    this.#url = `http://127.0.0.1:${port}`;
    const child = spawn(process.execPath, ['--import', END_WITH_PARENT, MAIN], {
      env: {
        ...programEnvironment(),
        ...{ LOG_LEVEL: 'error', DATABASE_URL: database.url },
        ...{ PROVIDER_PORT: String(port), PROVIDER_SECRET_FILE: this.secretFile },
        ...{ PROVIDER_PAGES_URL: this.#pagesUrl, PROVIDER_LATER_MS: LATER_MS },
        PROVIDER_CALLBACK_URL: `${productUrl}/provider/callbacks`,
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit');
    this.#signal = (name) => void child.kill(name);
    this.#stop = async () => {
      this.resume();
      child.kill('SIGTERM');
      await ended;
    };
    await eventually(() => fetch(`${this.#url}/assets/provider.css`), { timeoutMs: 20_000 });
  }

  get #pagesUrl(): string {
    return this.pagesOrigin ?? this.#url.replace('127.0.0.1', 'localhost');
  }

  /** Where it listens. */
  get url(): string {
    return this.#url;
  }

  get secretFile(): string {
    return join(this.#folder, 'secret');
  }

  /** Settings of a product that uses this provider. */
  get env(): Readonly<Record<string, string>> {
    return {
      ...{ FUNDING_PROVIDER_URL: this.#url, FUNDING_PROVIDER_SECRET_FILE: this.secretFile },
      FUNDING_PAGE_ORIGINS: this.#pagesUrl,
    };
  }

  /** Returns the headers of a callback that is signed now, or `ageSeconds` ago. */
  signCallback(body: string, signedBy: 'newest' | 'earlier' | 'none of ours', ageSeconds = 0): Record<string, string> {
    const secrets = { newest: this.#secret, earlier: this.#earlierSecret, 'none of ours': createMessageSecret() };
    const timestampSeconds = Math.floor(Date.now() / 1_000) - ageSeconds;
    return { ...signMessage({ id: randomUUID(), timestampSeconds, body }, [secrets[signedBy]]) };
  }

  /** Enters a card on the provider's page, as a browser that the product has redirected there. Returns the way back. */
  async enterCard(page: URL, cardNumber: string): Promise<URL> {
    expect(page.origin).toBe(this.#pagesUrl);
    return enterCard(new URL(page.pathname + page.search, this.#url), cardNumber);
  }

  /** Halts the process: connections are still accepted, and no request is answered. */
  hang(): void {
    this.#signal('SIGSTOP');
  }

  /** Lets a halted process continue. */
  resume(): void {
    this.#signal('SIGCONT');
  }

  /** Returns the statement of a period as the provider writes it; times in ms since 1970. */
  async statement(fromMs: number, toMs: number): Promise<string> {
    const query = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`;
    const message = { id: randomUUID(), timestampSeconds: Math.floor(Date.now() / 1_000), body: '' };
    const headers = { ...signMessage(message, [this.#secret]) };
    const response = await fetch(`${this.#url}/statements?${query}`, { headers });
    expect(response.status).toBe(200);
    return response.text();
  }

  async close(): Promise<void> {
    await this.#stop();
    await stopPostgresOfSpecs();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
