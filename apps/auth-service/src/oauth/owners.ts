import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import {
  SettleError,
  getBalance,
  getProfile,
  isOpen,
  type Environment,
  type Profile,
  type RequestContract,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { currentRequest } from '../request-context.js';
import type { Authorization } from '../tables/authorization.entity.js';

/** Who let an app in, and what they have. */
export interface Owner {
  readonly profile: Profile;
  /** Null when the app may not see it. */
  readonly balanceCents: number | null;
}

/** Asks the other services about the user of a token. */
@Injectable()
export class Owners {
  constructor(private readonly client: MessageClient) {}

  /** Errors: `service_unavailable` when one of them does not answer; `invalid_grant` when the user is gone. */
  async describe({ userId, scopes }: Authorization, environment: Environment): Promise<Owner> {
    const requestId = currentRequest()?.requestId;
    const ask = <Question extends object, Reply extends object>(
      contract: RequestContract<Question, Reply>,
      question: Question,
    ): Promise<Reply> => {
      const options = { key: userId, timeoutMs: LIMITS.auth.askWaitMs, ...(requestId && { requestId }) };
      return this.client.request(contract, question, options).catch(refuse);
    };
    const [profile, balance] = await Promise.all([
      ask(getProfile, { userId, viewerId: userId }),
      isOpen('balance', scopes) ? ask(getBalance, { userId, environment }) : null,
    ]);
    return { profile, balanceCents: balance?.balanceCents ?? null };
  }
}

function refuse(error: unknown): never {
  const code = error instanceof SettleError ? error.code : null;
  if (code === 'resource_not_found') throw new SettleError('invalid_grant', 'This user is not there any more.');
  // A question without an answer changed nothing, so it may be asked again.
  if (code !== 'outcome_unknown') throw error;
  throw new SettleError('service_unavailable', 'No answer came in time. Nothing was changed; send it again shortly.');
}
