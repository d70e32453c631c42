import { Module, type DynamicModule } from '@nestjs/common';
import { FundingMessages } from './messages/funding.controller.js';
import { PaymentsCommands } from './messages/payments-commands.controller.js';
import { Ledgers } from './ledger/ledgers.js';
import { usersStateController } from './messages/users-state.controller.js';
import { PaymentsQueries } from './messages/payments-queries.controller.js';

@Module({})
export class PaymentsModule {
  /** @param usersGroup consumer group of this database's user replica */
  static with(ledgers: Ledgers, usersGroup: string): DynamicModule {
    return {
      module: PaymentsModule,
      controllers: [PaymentsCommands, PaymentsQueries, FundingMessages, usersStateController(usersGroup)],
      providers: [{ provide: Ledgers, useValue: ledgers }],
    };
  }
}
