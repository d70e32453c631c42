import { request } from 'node:http';
import { atPace, type PacedRun } from '@settle/testing';
import { type Answer, call, encode, type Fields } from './client.js';
import { pageAt } from './developer.js';
import { inDatabase } from './running-stack.fixture.js';
import { newBrowser } from './sign-in.js';

const SIGN_IN = '/account/sign-in';
const GUESSES_AT_ONCE = 32;
const READS_PER_SECOND = 50;

/** A password tried on an account from somewhere. */
export interface Guess {
  readonly username: string;
  readonly password: string;
  /** An IP address: the product under test must believe one proxy. */
  readonly from: string;
}

/** What became of many guesses. */
export interface Guessed {
  readonly sent: number;
  /** The password was compared, and was wrong. */
  readonly compared: number;
  /** 429: it was not compared. */
  readonly refused: number;
  readonly tookSeconds: number;
  /** Answered otherwise. */
  readonly wrong: readonly string[];
}

/** An attacker with the sign-in form of an untrusted browser, which is sent any number of times. */
export class Guesser {
  private constructor(
    private readonly cookie: string,
    private readonly fields: Fields,
  ) {}

  static async begin(): Promise<Guesser> {
    const { headers, forms } = await newBrowser().open(pageAt(SIGN_IN));
    const cookie = headers.getSetCookie().map((one) => one.split(';')[0]);
    return new Guesser(cookie.join('; '), forms[0]?.fields ?? {});
  }

  guess({ username, password, from }: Guess): Promise<Answer<unknown>> {
    const headers = { cookie: this.cookie, 'x-forwarded-for': from };
    const form = { ...this.fields, username, password };
    return call(pageAt(SIGN_IN), { method: 'POST', form, headers });
  }

  /** Sends as many guesses at the same time, from these addresses of this machine in turn. Returns the statuses of those that are answered. */
  async guessAtOnce(count: number, from: readonly string[]): Promise<number[]> {
    const body = encode({ ...this.fields, username: 'carol', password: 'guess' });
    const headers = { cookie: this.cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const send = (index: number) =>
      new Promise<number | null>((resolve) => {
        const options = { method: 'POST', agent: false, headers, localAddress: from[index % from.length] };
        const asked = request(pageAt(SIGN_IN), options, (response) => {
          response.resume().once('close', () => resolve(response.statusCode ?? 0));
        });
        // One that comes too late loses its connection, as any client's would.
        asked.once('error', () => resolve(null)).end(body);
      });
    const statuses = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
    return statuses.filter((status) => status !== null);
  }

  /** Sends all of them as fast as they are answered, many at once. */
  async guessAll(guesses: readonly Guess[]): Promise<Guessed> {
    const beganAtMs = performance.now();
    const left = guesses.values();
    const answers: Answer<unknown>[] = [];
    const sendNext = async () => {
      for (const guess of left) answers.push(await this.guess(guess));
    };
    await Promise.all(Array.from({ length: GUESSES_AT_ONCE }, sendNext));
    const compared = answers.filter(({ status }) => status === 403).length;
    const refused = answers.filter(({ status, headers }) => status === 429 && Number(headers.get('retry-after')) >= 1);
    const wrong = answers.filter((answer) => answer.status !== 403 && !refused.includes(answer));
    return {
      sent: answers.length,
      compared,
      refused: refused.length,
      tookSeconds: (performance.now() - beganAtMs) / 1_000,
      wrong: wrong.map(({ status, text }) => `${status} ${text}`),
    };
  }
}

/** `GET /me` of another client at an even rate. */
export class ReadsOfMe {
  readonly #tookMs: number[] = [];
  readonly #running: Promise<PacedRun>;
  #isOver = false;

  constructor(token: string) {
    const pace = { perSecond: READS_PER_SECOND, isOver: () => this.#isOver };
    this.#running = atPace(pace, async () => {
      const beganAtMs = performance.now();
      const { status, text } = await call('/me', { token });
      if (status !== 200) throw new Error(`GET /me failed: ${status} ${text}`);
      this.#tookMs.push(performance.now() - beganAtMs);
    });
  }

  /** How long each took, in rising order. Rejects when one was answered with anything but 200. */
  async stop(): Promise<readonly number[]> {
    this.#isOver = true;
    const { failures } = await this.#running;
    if (failures.length > 0) throw failures[0];
    return this.#tookMs.sort((one, other) => one - other);
  }
}

/** Creates accounts with the password of a demo user; returns their usernames. */
export async function makeAccounts(count: number): Promise<string[]> {
  const { rows } = await inDatabase('auth', (client) =>
    client.query<{ username: string }>(
      `insert into credentials (user_id, username, password_hash)
       select user_id + number, 'guessed' || number, password_hash
       from credentials, generate_series(1, $1::integer) as number where username = 'alice' returning username`,
      [count],
    ),
  );
  return rows.map(({ username }) => username);
}
