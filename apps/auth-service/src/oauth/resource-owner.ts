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
import type { MessageClient } from '@settle/messaging';
import { getCurrentRequest } from '../security-log/request-context.js';
import type { Authorization } from './authorizations.js';

/** The user who granted an authorization, with their balance. */
export interface ResourceOwner {
  readonly profile: Profile;
  /** Null if the app has no access to it. */
  readonly balanceCents: number | null;
}

/**
 * Loads the user of a token from the other services. Errors: `service_unavailable` if a service does not reply;
 * `invalid_grant` if the user no longer exists.
 */
export async function loadResourceOwner(
  client: MessageClient,
  { userId, scopes }: Authorization,
  environment: Environment,
): Promise<ResourceOwner> {
  const requestId = getCurrentRequest()?.requestId;
  const options = { key: userId, timeoutMs: LIMITS.auth.askWaitMs, ...(requestId && { requestId }) };
  const send = <Request extends object, Reply extends object>(
    contract: RequestContract<Request, Reply>,
    request: Request,
  ): Promise<Reply> => client.request(contract, request, options).catch(rethrow);
  const [profile, balance] = await Promise.all([
    send(getProfile, { userId, viewerId: userId }),
    isOpen('balance', scopes) ? send(getBalance, { userId, environment }) : null,
  ]);
  return { profile, balanceCents: balance?.balanceCents ?? null };
}

function rethrow(error: unknown): never {
  const code = error instanceof SettleError ? error.code : null;
  if (code === 'resource_not_found') throw new SettleError('invalid_grant', 'This user no longer exists.');
  // A query without a reply changed nothing, so the app may retry.
  if (code !== 'outcome_unknown') throw error;
  throw new SettleError('service_unavailable', 'A service did not reply in time. Nothing was changed; retry shortly.');
}
