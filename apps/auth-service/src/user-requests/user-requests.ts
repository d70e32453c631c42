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
  return sendForUser(client, contract, request).catch((error: unknown) => {
    if (!isUnconfirmed(error)) throw error;
    throw new SettleError(
      'service_unavailable',
      'The server did not respond in time. Go back and send the form again.',
    );
  });
}

/**
 * Whether a change is confirmed, such as one that users-service confirms once payments-service applies it. False if the
 * change is stored but not confirmed in time: its effect is late. Rejects if the change fails.
 */
export async function isConfirmed(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (isUnconfirmed(error)) return false;
    throw error;
  }
}

/** Returns the error with which a request is refused, for the page that shows it. */
export async function orSettleError<Result>(request: Promise<Result>): Promise<Result | SettleError> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof SettleError) return error;
    throw error;
  }
}

/** Sends an idempotent request like `requestForUser`, but throws `outcome_unknown` if no reply arrives in time. */
export function sendForUser<Request extends { readonly userId: string }, Reply extends object>(
  client: MessageClient,
  contract: RequestContract<Request, Reply>,
  request: Request,
): Promise<Reply> {
  return client.request(contract, request, { key: request.userId, timeoutMs: LIMITS.auth.usersWaitMs });
}

function isUnconfirmed(error: unknown): boolean {
  return error instanceof SettleError && error.code === 'outcome_unknown';
}
