import type { UserRecord } from '@settle/contracts';
import { LedgerLab, type LabInstance, type LabOptions } from './ledger-lab.fixture.js';
import { person } from './people.fixture.js';
import { ProviderBooks } from './provider-books.fixture.js';

export const US_PER_DAY = 86_400_000_000;
/** Long enough for a slow machine: specs about the wait itself set their own. */
const WAIT_MS = 5_000;
const PENDING_DAYS = 3;
const MOST_ROUNDS = 8;
/** The lease of the reader of changes that a spec plays. */
const FENCE = 1;

/** Settings with which money from a source can be withdrawn at once. */
export const NO_HOLD = { WITHDRAWAL_HOLD_HOURS: '0' };

/** A ledger, its provider, and a clock that both go by. */
export class FundingLab {
  aheadMs = 0;
  /** Cents that came from elsewhere than the provider. */
  bookedCents = 0;
  /** Whether commands may begin and end funding. */
  readonly admitted = { begin: true, end: true };
  readonly gate = {
    isLive: () => false,
    mayBegin: () => this.admitted.begin,
    mayEnd: () => this.admitted.end,
    whenChecked: Promise.resolve(),
  };
  readonly books = new ProviderBooks(() => this.#nowMs() * 1_000);

  private constructor(readonly lab: LedgerLab) {}

  static async open(): Promise<FundingLab> {
    return new FundingLab(await LedgerLab.open());
  }

  instance(options: LabOptions & { readonly waitMs?: number } = {}): Promise<LabInstance> {
    const { waitMs = WAIT_MS, ...rest } = options;
    const provider = { provider: this.books, gate: this.gate, waitMs, pendingUs: PENDING_DAYS * US_PER_DAY };
    return this.lab.instance({ nowMs: this.#nowMs, provider, ...rest });
  }

  /** Two users, the first with a source. */
  async people(): Promise<{ payer: UserRecord; payee: UserRecord }> {
    const [payer, payee] = [person({ fundingSourceId: 'source-1' }), person()];
    await this.lab.know(payer, payee);
    return { payer, payee };
  }

  /** Lets time pass, then works until nothing is due. */
  async later(instance: LabInstance, ms = 3_600_000): Promise<void> {
    await this.lab.caughtUp();
    this.aheadMs += ms;
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      const { worker } = instance.ledger;
      if ((await worker.runDueFunding()) + (await worker.runDueWork()) === 0) return;
      await this.lab.caughtUp();
    }
    throw new Error(`There is work left after ${MOST_ROUNDS} rounds of the worker`);
  }

  /** Reads the provider's list of changes to its end. */
  async readChanges({ ledger }: LabInstance): Promise<void> {
    if (ledger.changeReaders === null) throw new Error('No provider is set');
    await this.lab.caughtUp();
    while ((await ledger.changeReaders.changes.read(FENCE)) === 'repeat');
    await this.lab.caughtUp();
  }

  /** The types of all events of a wallet, in order. */
  async walletEvents({ card }: UserRecord): Promise<string[]> {
    const { rows } = await this.lab.pool.query<{ type: string }>(
      'select type from events where stream = $1 order by revision',
      [`wallet-${card.id}`],
    );
    return rows.map(({ type }) => type);
  }

  /** The ledger is in order, and has what the provider took and did not give back. */
  async expectInOrder(): Promise<void> {
    const { fundingCents } = await this.lab.expectInOrder();
    expect(fundingCents - this.bookedCents).toBe(this.books.heldCents);
  }

  readonly #nowMs = (): number => Date.now() + this.aheadMs;
}
