import type { AddFunds, Balance } from '@settle/contracts';
import type { ProjectionWaiter } from '../projection/projection-waiter.js';
import type { PaymentsQuery } from '../read-models/payments/payments-query.js';
import type { Clock } from '../storage/clock.js';
import type { Deposits } from './deposits.js';

const TEST_SOURCE = 'test-bank';

/** Adds test money to live wallets. It exists with the development tools alone. */
export class AddTestFundsHandler {
  constructor(
    private readonly deposits: Deposits,
    private readonly payments: PaymentsQuery,
    private readonly projectionWaiter: ProjectionWaiter,
    private readonly clock: Clock,
  ) {}

  /** Returns the balance after the deposit. Errors: those of the contract `addFunds`. */
  async handle(command: AddFunds): Promise<Balance> {
    const position = await this.deposits.add(command, TEST_SOURCE, this.clock.nowUs());
    await this.projectionWaiter.awaitProjection(position);
    return { balanceCents: await this.payments.readBalanceCents(command.userId) };
  }
}
