import { randomUUID } from 'node:crypto';
import {
  SettleError,
  notifyConfirmation,
  notifyFundingOutcome,
  type FundingItem,
  type FundingOverview,
  type NotifyConfirmation,
  type NotifyFundingOutcome,
  type SourceView,
  type UserRecord,
} from '@settle/contracts';
import { InMemoryBus } from '@settle/messaging';
import type { ProviderSource } from '@settle/provider-api';
import { LAB_LOGGER, type LabInstance, type LabOptions } from '../ledger-lab/ledger-lab.fixture.js';
import { FundingLab } from '../ledger-lab/open-charges.fixture.js';
import { person } from '../ledger-lab/people.fixture.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** More rounds of the worker than any unit needs. */
const MOST_ROUNDS = 8;

/** A refusal as its code and text. */
export type Refused = { readonly code: string; readonly message: string };

/** Returns what a command answers, or its refusal. */
export async function attempt<Answer>(command: Promise<Answer>): Promise<Answer | Refused> {
  return command.catch((error: unknown) => {
    if (!(error instanceof SettleError)) throw error;
    return { code: error.code, message: error.message };
  });
}

/** Users with sources, who add and withdraw money. */
export class FundingUsersLab {
  /** The requests for e-mails about charges to confirm that auth-service has answered. */
  readonly notified: NotifyConfirmation[] = [];
  /** The same for e-mails about what became of money. */
  readonly outcomes: NotifyFundingOutcome[] = [];
  isAuthAway = false;

  private constructor(
    readonly funding: FundingLab,
    /** The instance that users' commands reach. */
    public instance: LabInstance,
  ) {}

  static async open(options: LabOptions & { readonly waitMs?: number } = {}): Promise<FundingUsersLab> {
    const funding = await FundingLab.open();
    const bus = new InMemoryBus({ logger: LAB_LOGGER });
    const lab = new FundingUsersLab(funding, await funding.instance({ bus, ...options }));
    const record =
      <Request>(requests: Request[]) =>
      (request: unknown) => {
        if (lab.isAuthAway) return Promise.reject(new SettleError('service_unavailable', 'Later.'));
        requests.push(request as Request);
        return Promise.resolve({ isNew: true });
      };
    bus.handle(notifyConfirmation.topic, notifyConfirmation.pattern, record(lab.notified));
    bus.handle(notifyFundingOutcome.topic, notifyFundingOutcome.pattern, record(lab.outcomes));
    return lab;
  }

  get books() {
    return this.funding.books;
  }

  /** The provider behaves well again. */
  reset(): void {
    const well = {
      nextCharge: 'approved',
      nextRepayment: 'paid',
      nextPayout: 'paid',
      losesAnswers: false,
      isAway: false,
      page: null,
    } as const;
    Object.assign(this.books, { ...well, saidCents: null });
    Object.assign(this.funding.admitted, { begin: true, end: true });
    this.notified.length = 0;
    this.outcomes.length = 0;
    this.isAuthAway = false;
  }

  async user(traits: Partial<UserRecord> = {}): Promise<UserRecord> {
    const user = person(traits);
    await this.funding.lab.know(user);
    return user;
  }

  begin({ card }: UserRecord, sourceKey = `src-${randomUUID()}`) {
    const order = {
      userId: card.id,
      sourceKey,
      ownerName: 'Ann Ok',
      returnUrl: 'http://localhost:3000/account/funding',
    };
    return this.instance.funding.begin({ ...order, wantsCharges: true, wantsPayouts: true });
  }

  /** Adds a source, on the provider's page. */
  async addSource(
    user: UserRecord,
    { isForPayouts = false, ...facts }: Partial<ProviderSource> & { isForPayouts?: boolean } = {},
  ): Promise<SourceView> {
    const sourceKey = `src-${randomUUID()}`;
    await this.begin(user, sourceKey);
    const known = { fingerprint: randomUUID(), brand: 'Visa', last4: '4242', owner_match: true } as const;
    this.books.changeSource(sourceKey, { state: 'active', can_charge: true, can_payout: true, ...known, ...facts });
    return this.keep(user, sourceKey, isForPayouts);
  }

  keep({ card }: UserRecord, sourceKey: string, isForPayouts = false): Promise<SourceView> {
    return this.instance.funding.keep({ userId: card.id, sourceKey, isForPayouts });
  }

  /** A user with one source for both, that has got payouts for more than a day. */
  async userWithSource(): Promise<{ user: UserRecord; sourceKey: string }> {
    const user = await this.user();
    const { key: sourceKey } = await this.addSource(user, { isForPayouts: true });
    // The payer's source as users-service publishes it.
    const paying = { ...user, version: 2, fundingSourceId: sourceKey };
    await this.funding.lab.know(paying);
    this.funding.aheadMs += DAY_MS + 1;
    return { user: paying, sourceKey };
  }

  deposit(
    { card }: UserRecord,
    sourceKey: string,
    amountCents = 500,
    fundingId: string = randomUUID(),
  ): Promise<FundingItem> {
    const command = { fundingId, userId: card.id, sourceKey, amountCents, beginBeforeMs: NO_LIMIT };
    return this.instance.funding.deposit(command);
  }

  withdraw(
    { card }: UserRecord,
    amountCents = 500,
    fundingId: string = randomUUID(),
    notBeforeUs = 0,
  ): Promise<FundingItem> {
    const command = { fundingId, userId: card.id, amountCents, notBeforeUs, beginBeforeMs: NO_LIMIT };
    return this.instance.funding.withdraw(command);
  }

  cancel({ card }: UserRecord, fundingId: string): Promise<FundingItem> {
    return this.instance.funding.cancel({ userId: card.id, fundingId });
  }

  overview({ card }: UserRecord, beforeUs: number | null = null, limit = 50): Promise<FundingOverview> {
    return this.instance.funding.overview({ userId: card.id, beforeUs, limit });
  }

  /** Money that no source paid. */
  async book(user: UserRecord, amountCents: number): Promise<void> {
    await this.instance.fund(user, amountCents);
    this.funding.bookedCents += amountCents;
    await this.funding.lab.caughtUp();
  }

  async balance(user: UserRecord): Promise<number> {
    await this.funding.lab.caughtUp();
    return this.instance.balance(user);
  }

  /** Lets time pass, then the worker works until nothing is due. */
  async later(ms = HOUR_MS): Promise<void> {
    await this.funding.lab.caughtUp();
    this.funding.aheadMs += ms;
    const worker = this.instance.ledger.fundingUnits?.worker;
    for (let round = 0; round < MOST_ROUNDS && (await worker?.runDue()) !== 0; round += 1) {
      await this.funding.lab.caughtUp();
    }
  }

  /** Reads the provider's list of changes to its end. */
  readChanges(): Promise<void> {
    return this.funding.readChanges(this.instance);
  }

  /** The ledger is in order, and has what the provider took and neither gave back nor paid out. */
  async expectInOrder(): Promise<void> {
    const { fundingCents } = await this.funding.lab.expectInOrder();
    const { heldCents, paidOutCents } = this.books;
    expect(fundingCents - this.funding.bookedCents).toBe(heldCents - paidOutCents);
  }

  close(): Promise<void> {
    return this.funding.lab.close();
  }
}
