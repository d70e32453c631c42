import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { request } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ApiResponse, baseUrl, call, encode, type Fields } from './client.js';
import { pageHref } from './developer.js';
import { withDatabase } from './running-stack.fixture.js';
import { newBrowser } from './sign-in.js';

const SIGN_IN = '/account/sign-in';
const GUESSES_AT_ONCE = 32;
const READS_PER_SECOND = 50;
const WARM_UP_MS = 10_000;
const READ_ME = fileURLToPath(new URL('../load/read-me.mjs', import.meta.url));

interface Reads {
  readonly tookMs: number[];
  readonly failures: readonly string[];
}

/** A password that is tried on an account from an address. */
export interface Guess {
  readonly username: string;
  readonly password: string;
  /** An IP address; the product under test must trust one proxy. */
  readonly from: string;
}

/** The results of many guesses. */
export interface GuessResult {
  readonly sent: number;
  /** Guesses whose password was compared and was wrong. */
  readonly compared: number;
  /** Guesses with 429, which were not compared. */
  readonly refused: number;
  /** Guesses with 504: on a busy machine the page came too late, and the password may have been compared. */
  readonly unanswered: number;
  readonly tookSeconds: number;
  /** Other responses. */
  readonly wrong: readonly string[];
}

/** An attacker who sends the sign-in form of an untrusted browser any number of times. */
export class Guesser {
  private constructor(
    private readonly cookie: string,
    private readonly fields: Fields,
  ) {}

  static async begin(): Promise<Guesser> {
    const { headers, forms } = await newBrowser().open(pageHref(SIGN_IN));
    const cookie = headers.getSetCookie().map((one) => one.split(';')[0]);
    return new Guesser(cookie.join('; '), forms[0]?.fields ?? {});
  }

  guess({ username, password, from }: Guess): Promise<ApiResponse<unknown>> {
    const headers = { cookie: this.cookie, 'x-forwarded-for': from };
    const form = { ...this.fields, username, password };
    return call(pageHref(SIGN_IN), { method: 'POST', form, headers });
  }

  /** Sends so many guesses at the same time, from these local addresses in turn. Returns the statuses of the responses. */
  async guessAtOnce(count: number, from: readonly string[]): Promise<number[]> {
    const body = encode({ ...this.fields, username: 'carol', password: 'guess' });
    const headers = { cookie: this.cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const send = (index: number) =>
      new Promise<number | null>((resolve) => {
        const options = { method: 'POST', agent: false, headers, localAddress: from[index % from.length] };
        const sent = request(pageHref(SIGN_IN), options, (response) => {
          response.resume().once('close', () => resolve(response.statusCode ?? 0));
        });
        // A request that is too late loses its connection, as that of any client would.
        sent.once('error', () => resolve(null)).end(body);
      });
    const statuses = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
    return statuses.filter((status) => status !== null);
  }

  /** Sends all guesses, many at once, each next one when a response arrives. */
  async guessAll(guesses: readonly Guess[]): Promise<GuessResult> {
    const beganAtMs = performance.now();
    const left = guesses.values();
    const responses: ApiResponse<unknown>[] = [];
    const sendNext = async () => {
      for (const guess of left) responses.push(await this.guess(guess));
    };
    await Promise.all(Array.from({ length: GUESSES_AT_ONCE }, sendNext));
    const compared = responses.filter(({ status }) => status === 403).length;
    const refused = responses.filter(
      ({ status, headers }) => status === 429 && Number(headers.get('retry-after')) >= 1,
    );
    const unanswered = responses.filter(({ status }) => status === 504).length;
    const wrong = responses.filter((response) => ![403, 504].includes(response.status) && !refused.includes(response));
    return {
      sent: responses.length,
      compared,
      refused: refused.length,
      unanswered,
      tookSeconds: (performance.now() - beganAtMs) / 1_000,
      wrong: wrong.map(({ status, text }) => `${status} ${text}`),
    };
  }
}

/** Calls `GET /me` as another client, in a process of its own, at a constant rate. */
export class MeReader {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #printed: Promise<string>;

  constructor(token: string) {
    const env = { PATH: process.env.PATH, BASE_URL: baseUrl(), TOKEN: token };
    this.#process = spawn(process.execPath, [READ_ME, String(READS_PER_SECOND)], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#printed = readText(this.#process.stdout);
  }

  /** Reads until the product's code is compiled: the first thousand requests take several times as long as later ones. */
  static async warmUp(token: string): Promise<void> {
    const reads = new MeReader(token);
    await setTimeout(WARM_UP_MS);
    await reads.stop();
  }

  /** Returns the duration of each call in ascending order. Rejects when one did not get 200. */
  async stop(): Promise<readonly number[]> {
    this.#process.stdin.end();
    const { tookMs, failures } = JSON.parse(await this.#printed) as Reads;
    if (failures.length > 0) throw new Error(`${failures.length} times GET /me failed: ${failures[0]}`);
    return tookMs.sort((one, other) => one - other);
  }
}

/** Creates accounts with the password of a demo user and returns their usernames. */
export async function makeAccounts(count: number): Promise<string[]> {
  const { rows } = await withDatabase('auth', (client) =>
    client.query<{ username: string }>(
      `insert into credentials (user_id, username, password_hash)
       select user_id + number, 'guessed' || number, password_hash
       from credentials, generate_series(1, $1::integer) as number where username = 'alice' returning username`,
      [count],
    ),
  );
  return rows.map(({ username }) => username);
}
