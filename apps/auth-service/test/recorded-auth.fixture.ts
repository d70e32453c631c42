import { Writable } from 'node:stream';
import {
  DEMO_APP,
  DEMO_PASSWORD,
  DEMO_USERS,
  beginSource,
  changeFundingSource,
  createAccount,
  endSource,
  getAccount,
  keepSource,
  removeAddress,
  requestDeposit,
  requestWithdrawal,
  verifyAddress,
  type BeginSource,
} from '@settle/contracts';
import { createLogger } from '@settle/observability';
import { eventually, freshDatabase } from '@settle/testing';
import { SOURCE } from './funding-samples.fixture.js';
import { stubOtherServices } from './oauth-client.fixture.js';
import { PagesBrowser } from './pages-browser.fixture.js';
import { deriveFormToken } from '../src/sign-in/session-cookie.js';
import { startAuth, type StartedAuth } from './started-auth.fixture.js';

const { bob } = DEMO_USERS;
const ACCOUNT = { card: { ...bob, displayName: 'Bob', profilePictureUrl: '' }, addresses: [], isVerified: true };

/** As the gateway sends it. */
export const REQUEST_ID = 'request-1';

type Line = Readonly<Record<string, unknown>>;
/** The name of a security event and its facts. */
export type RecordedEvent = readonly [name: unknown, facts: Line];

/** A running auth-service whose log is recorded; the other services are stubbed with the account of bob. */
export class RecordedAuth {
  /** Secrets and personal data that were entered, sent or issued and must not appear in the log. */
  readonly canaries = new Set([DEMO_PASSWORD, DEMO_APP.clientSecret]);

  /** The way back from the page of the payment provider to which a user was sent last. */
  returnPath = '';

  /** @param written the lines of the log */
  private constructor(
    readonly auth: StartedAuth,
    readonly written: readonly string[],
  ) {
    for (const { email, phone } of Object.values(DEMO_USERS)) this.canaries.add(email).add(phone);
  }

  static async start(): Promise<RecordedAuth> {
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
    stubOtherServices(auth);
    for (const contract of [createAccount, getAccount, verifyAddress, removeAddress]) {
      auth.bus.handle(contract.topic, contract.pattern, () => Promise.resolve(ACCOUNT));
    }
    const recorded = new RecordedAuth(auth, written);
    recorded.#stubFunding();
    return recorded;
  }

  #stubFunding(): void {
    const { bus, settings } = this.auth;
    bus.handle(beginSource.topic, beginSource.pattern, (request) => {
      this.returnPath = (request as BeginSource).returnUrl.slice(settings.publicUrl.length);
      this.canaries.add(this.returnPath.split('=')[1] ?? '');
      return Promise.resolve({ pageUrl: 'http://localhost:3999/cards/1' });
    });
    for (const contract of [keepSource, endSource, changeFundingSource, requestDeposit, requestWithdrawal]) {
      bus.handle(contract.topic, contract.pattern, () => Promise.resolve({ ...SOURCE, nextAction: null }));
    }
  }

  securityLines(): Line[] {
    return this.written.map((line) => JSON.parse(line) as Line).filter((line) => 'securityEvent' in line);
  }

  /** Returns the security events of `work`, with the facts that belong to the event alone. */
  async recordEvents(work: () => Promise<unknown>): Promise<RecordedEvent[]> {
    const before = this.securityLines().length;
    await work();
    const lines = this.securityLines().slice(before);
    const common = new Set([
      ...['securityEvent', 'level', 'time', 'service', 'msg', 'requestId', 'addressHash', 'browserHash'],
    ]);
    return lines.map((line) => [
      line['securityEvent'],
      Object.fromEntries(Object.entries(line).filter(([name]) => !common.has(name))),
    ]);
  }

  newBrowser(from = '192.0.2.1', userAgent = 'Browser of the spec'): PagesBrowser {
    this.canaries.add(from).add(userAgent);
    const headers = { 'x-request-id': REQUEST_ID, 'x-forwarded-for': from, 'user-agent': userAgent };
    return new PagesBrowser(this.auth.service.url, headers);
  }

  /** Posts a form with a valid CSRF token, without loading its page. */
  async post(browser: PagesBrowser, path: string, fields: Record<string, string> = {}): Promise<Response> {
    if (!browser.cookies.has('settle_session')) await browser.get('/account/sign-in');
    const session = browser.cookies.get('settle_session') ?? '';
    for (const typed of Object.values(fields)) if (/[ @]/.test(typed)) this.canaries.add(typed);
    this.canaries.add(session).add(deriveFormToken(session));
    const response = await browser.post(path, { form_token: deriveFormToken(session), ...fields });
    this.canaries.add(browser.cookies.get('settle_session') ?? session);
    return response;
  }

  signIn(browser: PagesBrowser, username: string, password = DEMO_PASSWORD): Promise<Response> {
    return this.post(browser, '/account/sign-in', { return_to: '', username, password });
  }

  async signedIn(username: string): Promise<PagesBrowser> {
    const browser = this.newBrowser();
    const { status } = await this.signIn(browser, username);
    if (status !== 303) throw new Error(`${username} could not sign in: ${status}`);
    return browser;
  }

  /** Returns the newest code that was sent to the address. */
  async findCode(address: string, digits = 6): Promise<string> {
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
