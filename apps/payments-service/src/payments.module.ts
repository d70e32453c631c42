import { Module, type DynamicModule } from '@nestjs/common';
import { PaymentsCommands } from './controllers/payments-commands.controller.js';
import { Ledgers } from './ledgers.js';
import { peopleFollower } from './controllers/people-follower.controller.js';
import { PaymentsQueries } from './controllers/payments-queries.controller.js';

@Module({})
export class PaymentsModule {
  /** @param peopleGroup as which the people are followed */
  static with(ledgers: Ledgers, peopleGroup: string): DynamicModule {
    return {
      module: PaymentsModule,
      controllers: [PaymentsCommands, PaymentsQueries, peopleFollower(peopleGroup)],
      providers: [{ provide: Ledgers, useValue: ledgers }],
    };
  }
}
