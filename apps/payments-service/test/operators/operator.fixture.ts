import { Clock } from '../../src/storage/clock.js';
import { readFundingOrder } from '../../src/operators/funding/funding-arguments.js';
import type { FundingPlace } from '../../src/operators/funding/funding-place.js';
import { runFundingOrder } from '../../src/operators/funding/run-funding-order.js';
import type { FundingLab } from '../ledger-lab/open-charges.fixture.js';
import { readSettings } from '@settle/config';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';

/** How a command ended: its exit code, or the error that it prints. */
interface Ended {
  readonly code: number | null;
  readonly error: string | null;
  /** Everything that it printed, line by line. */
  readonly said: string;
}

/** Runs the commands of `npm run funding` on a lab's database, in this process. */
export class OperatorDesk {
  constructor(
    private readonly funding: FundingLab,
    private readonly instance: Pick<LabInstance, 'store'>,
    private readonly options: Partial<FundingPlace> = {},
  ) {}

  /** Everything that a command works with. */
  place(say: FundingPlace['say']): FundingPlace {
    const { lab } = this.funding;
    const settings = { ...readSettings({ NODE_ENV: 'test' }), migrationsDatabaseUrl: lab.migrationsUrl };
    const clock = new Clock(() => Date.now() + this.funding.aheadMs);
    const common = { settings, store: this.instance.store, pool: lab.pool, clock, say };
    return { ...common, outcomeWaitMs: 0, ...this.options };
  }

  async run(...args: readonly string[]): Promise<Ended> {
    const lines: string[] = [];
    const place = this.place((line) => lines.push(line));
    try {
      const code = await runFundingOrder(place, readFundingOrder([...args]));
      return { code, error: null, said: lines.join('\n') };
    } catch (error) {
      return { code: null, error: (error as Error).message, said: lines.join('\n') };
    }
  }

  /** Books a bank transfer of a user. */
  book(
    type: 'deposit' | 'withdraw',
    userId: string,
    { amount = '5.00', reference = 'RF-1', isConfirmed = true } = {},
  ): Promise<Ended> {
    const terms = ['--user', userId, '--amount', amount, '--reference', reference, '--reason', 'came by bank'];
    return this.run(type, ...terms, '--operator', 'jo', ...(isConfirmed ? ['--confirm'] : []));
  }
}
