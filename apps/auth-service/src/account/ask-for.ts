import { LIMITS } from '@settle/config';
import { SettleError, type RequestContract } from '@settle/contracts';
import type { MessageClient } from '@settle/messaging';

/**
 * Asks another service on behalf of a person. What it does can be done again, so an answer that does not come may be
 * asked for anew. Errors: the contract's, and `service_unavailable`.
 */
export async function askFor<Question extends { readonly userId: string }, Reply extends object>(
  client: MessageClient,
  contract: RequestContract<Question, Reply>,
  question: Question,
): Promise<Reply> {
  const answer = await answerTo(client, contract, question);
  if (answer !== null) return answer;
  throw new SettleError('service_unavailable', 'No answer came in time. Go back and send it again.');
}

/**
 * Asks for a change that is confirmed once payments know of it. False: it is stored, but payments that begin just now
 * may not know of it. Errors: the contract's.
 */
export async function isKnownToPayments<Question extends { readonly userId: string }, Reply extends object>(
  client: MessageClient,
  contract: RequestContract<Question, Reply>,
  question: Question,
): Promise<boolean> {
  return (await answerTo(client, contract, question)) !== null;
}

/** Null: none came in time. */
async function answerTo<Question extends { readonly userId: string }, Reply extends object>(
  client: MessageClient,
  contract: RequestContract<Question, Reply>,
  question: Question,
): Promise<Reply | null> {
  try {
    return await client.request(contract, question, { key: question.userId, timeoutMs: LIMITS.auth.usersWaitMs });
  } catch (error) {
    if (error instanceof SettleError && error.code === 'outcome_unknown') return null;
    throw error;
  }
}
