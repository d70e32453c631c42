import { Module, type DynamicModule } from '@nestjs/common';
import { PaymentsCommands } from './controllers/payments-commands.controller.js';
import { Ledger } from './ledger.js';
import { PeopleFollower } from './controllers/people-follower.controller.js';
import { PaymentsQueries } from './controllers/payments-queries.controller.js';

@Module({})
export class PaymentsModule {
  static with(ledger: Ledger): DynamicModule {
    return {
      module: PaymentsModule,
      controllers: [PaymentsCommands, PaymentsQueries, PeopleFollower],
      providers: [{ provide: Ledger, useValue: ledger }],
    };
  }
}
