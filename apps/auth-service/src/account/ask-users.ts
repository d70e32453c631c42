import { LIMITS } from '@settle/config';
import { SettleError, type RequestContract } from '@settle/contracts';
import type { MessageClient } from '@settle/messaging';

/**
 * Asks users-service on behalf of a person. What it does can be done again, so an answer that does not come may be
 * asked for anew. Errors: the contract's, and `service_unavailable`.
 */
export async function askUsers<Question extends { readonly userId: string }, Reply extends object>(
  client: MessageClient,
  contract: RequestContract<Question, Reply>,
  question: Question,
): Promise<Reply> {
  try {
    return await client.request(contract, question, { key: question.userId, timeoutMs: LIMITS.auth.usersWaitMs });
  } catch (error) {
    if (!(error instanceof SettleError) || error.code !== 'outcome_unknown') throw error;
    throw new SettleError('service_unavailable', 'No answer came in time. Go back and send it again.');
  }
}
