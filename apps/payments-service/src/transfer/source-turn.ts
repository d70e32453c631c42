import type { StepContext } from '@settle/payments-domain';
import type { TransferProgress } from './transfer-progress.js';

/** The right to decide about charges of one user's source; nothing else decides about them meanwhile. */
export interface SourceTurn {
  readonly userId: string;
  /** Whether the limits of the source admit a charge of these cents. */
  readonly admits: (totalCents: number) => boolean;
}

/**
 * Runs work in a turn of the user, once what was stored before it counts. `position`: log position of what the work stored;
 * null if nothing. Errors: `service_unavailable` if the limits cannot be checked, and those of the work.
 */
export type TakeSourceTurn = <Result extends { readonly position: number | null }>(
  userId: string,
  work: (turn: SourceTurn) => Promise<Result>,
) => Promise<Result>;

/** A payment would charge this user's source: it must be decided in a turn of the user. */
export class NeedsSourceTurn {
  readonly position = null;

  constructor(readonly userId: string) {}
}

/** Runs an attempt, and if it needs a turn, once more within it. A second need is returned: something else has changed. */
export async function attemptInTurn<Result extends { readonly position: number | null }>(
  takeTurn: TakeSourceTurn | null,
  attempt: (turn: SourceTurn | null) => Promise<Result | NeedsSourceTurn>,
): Promise<Result | NeedsSourceTurn> {
  const first = await attempt(null);
  return first instanceof NeedsSourceTurn && takeTurn !== null ? takeTurn(first.userId, attempt) : first;
}

/** Returns the context in which the limits of the turn's user count. */
export function contextInTurn(context: StepContext, turn: SourceTurn | null): StepContext {
  if (turn === null) return context;
  const { userId, admits } = turn;
  return { ...context, admitsCharge: (walletId, totalCents) => walletId !== userId || admits(totalCents) };
}

/** Returns the need of a turn if the undecided unit requests a charge outside of a turn of its user; otherwise null. */
export function neededTurn({ chargedUserId }: TransferProgress, turn: SourceTurn | null): NeedsSourceTurn | null {
  return chargedUserId === null || chargedUserId === turn?.userId ? null : new NeedsSourceTurn(chargedUserId);
}
