import {
  DEMO_PASSWORD,
  DEMO_USERS,
  SettleError,
  beginSource,
  cancelWithdrawal,
  changeFundingSource,
  endSource,
  getAccount,
  getFunding,
  keepSource,
  requestDeposit,
  requestWithdrawal,
  type BeginSource,
  type FundingOverview,
  type GetFunding,
  type RequestContract,
} from '@settle/contracts';
import { eventually, freshDatabase } from '@settle/testing';
import { DEPOSIT, FUNDING_PATH, OVERVIEW, PROVIDER_PAGE, SOURCE } from './funding-samples.fixture.js';
import { PagesBrowser } from './pages-browser.fixture.js';
import { startAuth, type StartedAuth } from './started-auth.fixture.js';

type AnyContract = Pick<RequestContract<object, object>, 'topic' | 'pattern'>;
type Reply = (request: never) => Promise<object>;

/** A running auth-service with responders for the other services, and a browser in which alice is signed in. */
export class FundingLab {
  /** The change requests that the pages sent to other services, in their order. */
  readonly sent: (readonly [pattern: string, request: Record<string, unknown>])[] = [];
  /** The requests for what the page shows. */
  readonly reads: GetFunding[] = [];
  /** Null: payments-service is unavailable. */
  overview: FundingOverview | null = OVERVIEW;
  account: object = { card: { firstName: 'Alice', lastName: 'Archer' }, fundingSource: null };
  /** The reply to each change request, by its pattern; an error of it is the refusal. */
  readonly replies = new Map<string, Reply>();

  private constructor(readonly auth: StartedAuth) {}

  static async start(env: Record<string, string> = {}): Promise<FundingLab> {
    const settings = { DEV_TOOLS: 'true', FUNDING_PAGE_ORIGINS: 'https://pages.provider.example', ...env };
    const lab = new FundingLab(await startAuth(await freshDatabase(), settings));
    const { bus } = lab.auth;
    bus.handle(getAccount.topic, getAccount.pattern, () => Promise.resolve(lab.account));
    bus.handle(getFunding.topic, getFunding.pattern, (request) => {
      lab.reads.push(request as GetFunding);
      if (lab.overview !== null) return Promise.resolve(lab.overview);
      return Promise.reject(new SettleError('service_unavailable', 'Later.'));
    });
    lab.#change(beginSource, () => Promise.resolve({ pageUrl: PROVIDER_PAGE }));
    lab.#change(keepSource, () => Promise.resolve(SOURCE));
    lab.#change(endSource, () => Promise.resolve({ sourceKey: SOURCE.key }));
    lab.#change(changeFundingSource, () => Promise.resolve(lab.account));
    lab.#change(requestDeposit, () => Promise.resolve(DEPOSIT));
    lab.#change(requestWithdrawal, () => Promise.resolve({ ...DEPOSIT, kind: 'withdrawal', status: 'pending' }));
    lab.#change(cancelWithdrawal, () => Promise.resolve({ ...DEPOSIT, kind: 'withdrawal', status: 'cancelled' }));
    return lab;
  }

  async signIn(username: string = DEMO_USERS.alice.username): Promise<PagesBrowser> {
    const browser = new PagesBrowser(this.auth.service.url);
    const page = await (await browser.get('/account/sign-in')).text();
    await browser.submit(page, '/account/sign-in', { username, password: DEMO_PASSWORD });
    return browser;
  }

  /** Forgets what was sent, what was notified and who is signed in. */
  async reset(): Promise<void> {
    this.sent.length = 0;
    this.reads.length = 0;
    this.replies.clear();
    this.overview = OVERVIEW;
    this.account = { card: { firstName: 'Alice', lastName: 'Archer' }, fundingSource: null };
    await this.auth.pool.query('delete from funding_notices; delete from notices; delete from mailbox_messages');
    await this.auth.pool.query('delete from sessions; delete from sign_in_tries');
  }

  /** Lets time pass for every sign-in. */
  async waitMinutes(minutes: number): Promise<void> {
    const age = `update sessions set authenticated_at = authenticated_at - $1 * interval '1 minute'`;
    await this.auth.pool.query(age, [minutes]);
  }

  /** Returns the requests of a contract. */
  sentAs<Request extends object>({ pattern }: AnyContract): Request[] {
    return this.sent.filter(([name]) => name === pattern).map(([, request]) => request as Request);
  }

  /** Returns recipients and subjects of the e-mails, once there are as many. */
  mails(count: number): Promise<{ readonly sent_to: string; readonly subject: string; readonly text: string }[]> {
    return eventually(async () => {
      const find = 'select sent_to, subject, text from mailbox_messages order by id';
      const { rows } = await this.auth.pool.query<{ sent_to: string; subject: string; text: string }>(find);
      const { rowCount: waiting } = await this.auth.pool.query('select 1 from notices');
      expect([rows.length, waiting]).toEqual([count, 0]);
      return rows;
    });
  }

  /** Returns the path of the way back from the provider to which the user was sent last. */
  returnPath(): string {
    const { returnUrl } = this.sentAs<BeginSource>(beginSource).at(-1) as BeginSource;
    const { publicUrl } = this.auth.settings;
    expect(returnUrl.startsWith(`${publicUrl}${FUNDING_PATH}/return?state=`)).toBe(true);
    return returnUrl.slice(publicUrl.length);
  }

  #change({ topic, pattern }: AnyContract, otherwise: Reply): void {
    this.auth.bus.handle(topic, pattern, (request) => {
      this.sent.push([pattern, request as Record<string, unknown>]);
      return (this.replies.get(pattern) ?? otherwise)(request as never);
    });
  }
}
