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
  return send(client, contract, request).catch((error: unknown) => {
    if (!isUnconfirmed(error)) throw error;
    throw new SettleError(
      'service_unavailable',
      'The server did not respond in time. Go back and send the form again.',
    );
  });
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
  return isConfirmed(send(client, contract, request));
}

/** Returns false if the change is stored but its effect is not confirmed in time. Rejects if it fails. */
export async function isConfirmed(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (isUnconfirmed(error)) return false;
    throw error;
  }
}

function send<Request extends { readonly userId: string }, Reply extends object>(
  client: MessageClient,
  contract: RequestContract<Request, Reply>,
  request: Request,
): Promise<Reply> {
  return client.request(contract, request, { key: request.userId, timeoutMs: LIMITS.auth.usersWaitMs });
}

function isUnconfirmed(error: unknown): boolean {
  return error instanceof SettleError && error.code === 'outcome_unknown';
}
