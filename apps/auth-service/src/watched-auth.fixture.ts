import { Writable } from 'node:stream';
import {
  DEMO_APP,
  DEMO_PASSWORD,
  DEMO_USERS,
  createAccount,
  getAccount,
  proveAddress,
  removeAddress,
} from '@settle/contracts';
import { createLogger } from '@settle/observability';
import { eventually, freshDatabase } from '@settle/testing';
import { answerForOthers } from './oauth-client.fixture.js';
import { PagesBrowser } from './pages-browser.fixture.js';
import { formTokenOf } from './sign-in/session-cookie.js';
import { startAuth, type StartedAuth } from './started-auth.fixture.js';

const { bob } = DEMO_USERS;
const ACCOUNT = { card: { ...bob, displayName: 'Bob', profilePictureUrl: '' }, addresses: [], isVerified: true };

/** As the gateway sends it along. */
export const REQUEST_ID = 'request-1';

type Line = Readonly<Record<string, unknown>>;
/** The name of an event, and the facts beside it. */
export type Told = readonly [name: unknown, facts: Line];

/** A running auth-service whose log is read along; other services answer as they would for bob. */
export class WatchedAuth {
  /** What must never be in one of them: what was typed, sent or given. */
  readonly canaries = new Set([DEMO_PASSWORD, DEMO_APP.clientSecret]);

  /** @param written every line of the log */
  private constructor(
    readonly auth: StartedAuth,
    readonly written: readonly string[],
  ) {
    for (const { email, phone } of Object.values(DEMO_USERS)) this.canaries.add(email).add(phone);
  }

  static async start(): Promise<WatchedAuth> {
    const written: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written.push(chunk.toString());
        done();
      },
    });
    const logger = createLogger({ level: 'info', service: 'auth', stream });
    const env = { DEV_TOOLS: 'true', INTROSPECTION_SECRET: 's'.repeat(32), REFRESH_LEEWAY: '0' };
    const auth = await startAuth(await freshDatabase(), env, logger);
    answerForOthers(auth);
    for (const contract of [createAccount, getAccount, proveAddress, removeAddress]) {
      auth.bus.handle(contract.topic, contract.pattern, () => Promise.resolve(ACCOUNT));
    }
    return new WatchedAuth(auth, written);
  }

  securityLines(): Line[] {
    return this.written.map((line) => JSON.parse(line) as Line).filter((line) => 'securityEvent' in line);
  }

  /** The security log of some work; facts are those of the kind alone. */
  async told(work: () => Promise<unknown>): Promise<Told[]> {
    const before = this.securityLines().length;
    await work();
    const lines = this.securityLines().slice(before);
    const beside = new Set([
      ...['securityEvent', 'level', 'time', 'service', 'msg', 'requestId', 'addressHash', 'browserHash'],
    ]);
    return lines.map((line) => [
      line['securityEvent'],
      Object.fromEntries(Object.entries(line).filter(([name]) => !beside.has(name))),
    ]);
  }

  newBrowser(from = '192.0.2.1', userAgent = 'Browser of the spec'): PagesBrowser {
    this.canaries.add(from).add(userAgent);
    const headers = { 'x-request-id': REQUEST_ID, 'x-forwarded-for': from, 'user-agent': userAgent };
    return new PagesBrowser(this.auth.service.url, headers);
  }

  /** Sends a form of ours, whatever its page looks like. */
  async post(browser: PagesBrowser, path: string, fields: Record<string, string> = {}): Promise<Response> {
    if (!browser.cookies.has('settle_session')) await browser.get('/account/sign-in');
    const session = browser.cookies.get('settle_session') ?? '';
    for (const typed of Object.values(fields)) if (/[ @]/.test(typed)) this.canaries.add(typed);
    this.canaries.add(session).add(formTokenOf(session));
    const answer = await browser.post(path, { form_token: formTokenOf(session), ...fields });
    this.canaries.add(browser.cookies.get('settle_session') ?? session);
    return answer;
  }

  signIn(browser: PagesBrowser, username: string, password = DEMO_PASSWORD): Promise<Response> {
    return this.post(browser, '/account/sign-in', { return_to: '', username, password });
  }

  async signedIn(username: string): Promise<PagesBrowser> {
    const browser = this.newBrowser();
    const { status } = await this.signIn(browser, username);
    if (status !== 303) throw new Error(`${username} is not let in: ${status}`);
    return browser;
  }

  /** The newest code sent to an address. */
  async codeTo(address: string, digits = 6): Promise<string> {
    const find = `select text from mailbox_messages where sent_to = $1 and text like '%is your code%' order by id desc`;
    const code = await eventually(async () => {
      const { rows } = await this.auth.pool.query<{ text: string }>(find, [address]);
      const [newest = ''] = /^\d+/.exec(rows[0]?.text ?? '') ?? [];
      if (newest.length !== digits) throw new Error(`No code of ${digits} digits was sent.`);
      return newest;
    });
    this.canaries.add(code);
    return code;
  }
}
