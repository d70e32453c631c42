import type { AddFunds, Balance } from '@settle/contracts';
import type { ProjectionWaiter } from '../projection/projection-waiter.js';
import type { PaymentsQuery } from '../read-models/payments/payments-query.js';
import type { Clock } from '../storage/clock.js';
import type { Deposits } from './deposits.js';

const TEST_SOURCE = 'test-bank';

export interface AddTestFundsDependencies {
  readonly deposits: Deposits;
  readonly payments: PaymentsQuery;
  readonly projectionWaiter: ProjectionWaiter;
  readonly clock: Clock;
}

/** Adds test money to live wallets. It exists with the development tools alone. */
export class AddTestFundsHandler {
  constructor(private readonly dependencies: AddTestFundsDependencies) {}

  /** Returns the balance after the deposit. Errors: those of the contract `addFunds`. */
  async handle(command: AddFunds): Promise<Balance> {
    const { deposits, payments, projectionWaiter, clock } = this.dependencies;
    await projectionWaiter.awaitProjection(await deposits.add(command, TEST_SOURCE, clock.nowUs()));
    return { balanceCents: await payments.readBalanceCents(command.userId) };
  }
}
