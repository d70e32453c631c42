import 'reflect-metadata';
import { Controller, Module, UseInterceptors, type NestInterceptor } from '@nestjs/common';
import { SettleError, TOPICS, eventContract, requestContract } from '@settle/contracts';
import { Type } from 'class-transformer';
import { IsInt, IsString, Length, Max, Min, ValidateNested } from 'class-validator';
import { map } from 'rxjs';
import { OnEvents, OnRequest, type EventEnvelope, type RequestEnvelope } from '../src/index.js';

class Place {
  @IsString()
  @Length(1, 10)
  street: string;
}

export class Add {
  @IsInt()
  @Min(0)
  @Max(100)
  left: number;

  @IsInt()
  right: number;

  @ValidateNested()
  @Type(() => Place)
  place: Place;
}

export interface Sum {
  readonly sum: number;
  readonly requestId: string;
}

export const add = requestContract<Add, Sum>(TOPICS.paymentsQueries, 'spec.add');
export const refuse = requestContract<Add, Sum>(TOPICS.paymentsQueries, 'spec.refuse');
export const crash = requestContract<Add, Sum>(TOPICS.paymentsQueries, 'spec.crash');
export const hang = requestContract<Add, Sum>(TOPICS.paymentsQueries, 'spec.hang');
export const doubled = requestContract<Add, Sum>(TOPICS.paymentsQueries, 'spec.doubled');
export const other = requestContract<Add, Sum>(TOPICS.usersRequests, 'spec.add');
export class Happening {
  @IsInt()
  n: number;
}

export const happened = eventContract<Happening>(TOPICS.usersState, 'spec.happened', () => Happening);

export const good: Add = { left: 1, right: 2, place: { street: 'Elm' } };

@Controller()
export class Calculator {
  readonly seen: EventEnvelope[] = [];
  readonly alsoSeen: EventEnvelope[] = [];
  failures = 0;
  hangs: (() => void)[] = [];

  @OnRequest(add)
  async add(payload: Add, envelope: RequestEnvelope): Promise<Sum> {
    return { sum: payload.left + payload.right, requestId: envelope.requestId };
  }

  @OnRequest(refuse)
  async refuse(_payload: Add): Promise<Sum> {
    throw new SettleError('insufficient_funds', 'Not enough.', { missingCents: 5 });
  }

  @OnRequest(crash)
  async crash(_payload: Add): Promise<Sum> {
    throw new Error('c4n4ry of a bug');
  }

  @OnRequest(hang)
  hang(_payload: Add): Promise<Sum> {
    return new Promise((resolve) => this.hangs.push(() => resolve({ sum: 0, requestId: '' })));
  }

  @OnEvents(happened, 'first')
  async follow(events: readonly EventEnvelope[]): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('not yet');
    }
    this.seen.push(...events);
  }

  @OnEvents(happened, 'second')
  async followToo(events: readonly EventEnvelope[]): Promise<void> {
    this.alsoSeen.push(...events);
  }
}

const twice: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(map((reply: Sum) => ({ ...reply, sum: 2 * reply.sum }))),
};

@Controller()
export class OtherCalculator {
  @OnRequest(doubled)
  @UseInterceptors(twice)
  async double(payload: Add): Promise<Sum> {
    if (payload.left === 0) throw new SettleError('not_permitted', 'Nothing to double.');
    return { sum: payload.left, requestId: '' };
  }

  @OnRequest(other)
  async add(payload: Add): Promise<Sum> {
    return { sum: payload.left * payload.right, requestId: '' };
  }
}

@Module({ controllers: [Calculator] })
export class CalculatorModule {}

@Module({ controllers: [OtherCalculator] })
export class OtherModule {}
