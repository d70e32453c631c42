import { beginBeforeUsAt, type DepositEvent, type WithdrawalEvent } from '@settle/payments-domain';
import type { PaymentView, UserRecord } from '@settle/contracts';
import { FundingLab } from '../ledger-lab/open-charges.fixture.js';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';

const US_PER_MS = 1_000;

/** A ledger and a provider of which only the list of changes brings news. */
export class ChangesLab {
  private constructor(readonly funding: FundingLab) {}

  static async open(): Promise<ChangesLab> {
    return new ChangesLab(await FundingLab.open());
  }

  get books(): FundingLab['books'] {
    return this.funding.books;
  }

  units({ ledger }: LabInstance): NonNullable<LabInstance['ledger']['fundingUnits']> {
    if (ledger.fundingUnits === null) throw new Error('No provider is set');
    return ledger.fundingUnits;
  }

  readers({ ledger }: LabInstance): NonNullable<LabInstance['ledger']['changeReaders']> {
    if (ledger.changeReaders === null) throw new Error('No provider is set');
    return ledger.changeReaders;
  }

  /** Reads the list of changes to its end. */
  read(by: LabInstance): Promise<void> {
    return this.funding.readChanges(by);
  }

  async cursor(): Promise<string | null> {
    const { rows } = await this.funding.lab.pool.query<{ cursor: string | null }>(
      'select cursor from provider_changes',
    );
    return rows[0]?.cursor ?? null;
  }

  /** Has the list read from its beginning by the next reader. */
  async rewind(): Promise<void> {
    await this.funding.lab.pool.query('update provider_changes set cursor = null');
  }

  /** The contradictions that operators see, by key. */
  async contradictions(): Promise<Record<string, string>> {
    await this.funding.lab.caughtUp();
    const { rows } = await this.funding.lab.pool.query<{ id: string; reason: string }>(
      `select id, reason from funding where kind = 'contradiction' and status = 'open'`,
    );
    return Object.fromEntries(rows.map(({ id, reason }) => [id, reason]));
  }

  async fundingStatus(kind: string, id: string): Promise<string | undefined> {
    await this.funding.lab.caughtUp();
    const { rows } = await this.funding.lab.pool.query<{ status: string }>(
      'select status from funding where kind = $1 and id = $2',
      [kind, id],
    );
    return rows[0]?.status;
  }

  async statusOf(by: LabInstance, viewer: UserRecord, { id }: Pick<PaymentView, 'id'>): Promise<string> {
    await this.funding.lab.caughtUp();
    return (await by.view(viewer, id)).status;
  }

  async balance(by: LabInstance, owner: UserRecord): Promise<number> {
    await this.funding.lab.caughtUp();
    return by.balance(owner);
  }

  async deposit(by: LabInstance, owner: UserRecord, id: string, amountCents = 500): Promise<void> {
    const atUs = this.#nowUs();
    const data = { ...factsOf(owner, amountCents), beginBeforeUs: beginBeforeUsAt(atUs), atUs };
    const event: DepositEvent = { type: 'DepositRequested', data };
    await this.units(by).runner.begin({ kind: 'deposit', id, event });
  }

  async withdraw(by: LabInstance, owner: UserRecord, id: string, amountCents = 500): Promise<void> {
    const data = { ...factsOf(owner, amountCents), needsReview: false, atUs: this.#nowUs() };
    const event: WithdrawalEvent = { type: 'WithdrawalRequested', data };
    await this.units(by).runner.begin({ kind: 'withdrawal', id, event });
  }

  async close(): Promise<void> {
    await this.funding.lab.close();
  }

  #nowUs(): number {
    return (Date.now() + this.funding.aheadMs) * US_PER_MS;
  }
}

function factsOf({ card }: UserRecord, amountCents: number) {
  return { userId: card.id, amountCents, sourceId: 'source-1', booking: null };
}
