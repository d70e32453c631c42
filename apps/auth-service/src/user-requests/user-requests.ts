import { LIMITS } from '@settle/config';
import { SettleError, type RequestContract } from '@settle/contracts';
import type { MessageClient } from '@settle/messaging';

/**
 * Sends an idempotent request to another service on behalf of a user and returns the reply. Throws the errors of the
 * contract, and `service_unavailable` if no reply arrives in time.
 */
export async function requestForUser<Request extends { readonly userId: string }, Reply extends object>(
  client: MessageClient,
  contract: RequestContract<Request, Reply>,
  request: Request,
): Promise<Reply> {
  const reply = await requestOrNull(client, contract, request);
  if (reply !== null) return reply;
  throw new SettleError('service_unavailable', 'The server did not respond in time. Go back and send the form again.');
}

/**
 * Requests a change that users-service confirms once payments-service applies it. Returns false if the change is stored
 * but not confirmed in time: payments that start now may not see it yet. Throws the errors of the contract.
 */
export async function requestChange<Request extends { readonly userId: string }, Reply extends object>(
  client: MessageClient,
  contract: RequestContract<Request, Reply>,
  request: Request,
): Promise<boolean> {
  return (await requestOrNull(client, contract, request)) !== null;
}

/** Returns null if no reply arrives in time. */
async function requestOrNull<Request extends { readonly userId: string }, Reply extends object>(
  client: MessageClient,
  contract: RequestContract<Request, Reply>,
  request: Request,
): Promise<Reply | null> {
  try {
    return await client.request(contract, request, { key: request.userId, timeoutMs: LIMITS.auth.usersWaitMs });
  } catch (error) {
    if (error instanceof SettleError && error.code === 'outcome_unknown') return null;
    throw error;
  }
}
