import { LIMITS } from '@settle/config';
import { SettleError, isId, noSuchUser, type RequestContract } from '@settle/contracts';
import type { MessageClient } from '@settle/messaging';
import type { FastifyRequest } from 'fastify';

/** Sends a query for the caller. Errors: the contract's, and `service_unavailable`. */
export function query<Question extends object, Reply extends object>(
  client: MessageClient,
  contract: RequestContract<Question, Reply>,
  question: Question,
  { user, id: requestId, traceparent }: FastifyRequest,
): Promise<Reply> {
  const options = { key: user.userId, timeoutMs: LIMITS.gateway.queryWaitMs, requestId, traceparent };
  return unavailableIfLate(client.request(contract, question, options));
}

/** A question without an answer changed nothing, so its outcome is not unknown: it may be asked again. */
export async function unavailableIfLate<Reply>(answer: Promise<Reply>): Promise<Reply> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof SettleError) || error.code !== 'outcome_unknown') throw error;
    throw new SettleError('service_unavailable', 'No answer came in time. Nothing was changed; try again shortly.');
  }
}

/** Returns an id of a path. An invalid one is an unknown one. */
export function checkedId(id: string, kind: 'user' | 'payment'): string {
  if (isId(id)) return id;
  throw kind === 'user' ? noSuchUser() : new SettleError('resource_not_found', 'There is no such payment.');
}
