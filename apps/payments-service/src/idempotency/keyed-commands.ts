import { LIMITS } from '@settle/config';
import { SettleError, type CreatePayment, type MaybeReplayed } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { Clock } from '../clock.js';
import { orUnavailable } from '../database-away.js';
import type { KeyOwner, KeyRows, KeyState } from './key-rows.js';

/** What commands that may carry a key have in common. */
type Keyed = Pick<CreatePayment, 'commandId' | 'paymentId' | 'appId' | 'actorId' | 'environment' | 'idempotency'>;

/**
 * Works on a command and answers it.
 * @param mayBeBegun an earlier request was the same, under the ids that the command has now, and was not answered
 */
type Work<Command, Answer> = (command: Command, mayBeBegun: boolean) => Promise<Answer>;

interface InProgress {
  readonly commandId: string;
  readonly requestHash: string;
  /** What its row said. */
  readonly state: Promise<KeyState>;
  readonly answer: Promise<object>;
}

export interface KeyedCommandsParts {
  readonly rows: KeyRows;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Requests that their callers gave a key: each is worked on under one pair of ids, however often it is sent, and the
 * first answer is everybody's. Commands of a person come to one instance, so a twin in progress is known from memory;
 * where two instances work on one request after all, the ids are the same, and so is the payment.
 */
export class KeyedCommands {
  readonly #inProgress = new Map<string, InProgress>();

  constructor(private readonly parts: KeyedCommandsParts) {}

  /** Without a key it is just the work. Errors beside its own: `idempotency_key_reused`, `idempotency_in_progress`. */
  once<Command extends Keyed, Answer extends object>(
    command: Command,
    work: Work<Command, Answer>,
  ): Promise<Answer & MaybeReplayed> {
    const { idempotency, commandId } = command;
    // Null comes as JSON has it.
    if (!idempotency) return work(command, false);
    const { key, requestHash } = idempotency;
    const owner: KeyOwner = [command.actorId, command.appId, command.environment, key];
    const place = JSON.stringify(owner);
    const twin = this.#inProgress.get(place);
    if (twin === undefined) {
      const state = orUnavailable(this.#take(owner, requestHash, command));
      const answer = this.#answer(owner, { command, state }, work);
      this.#inProgress.set(place, { commandId, requestHash, state, answer });
      const release = () => this.#inProgress.delete(place);
      answer.then(release, release);
      return answer;
    }
    if (twin.requestHash !== requestHash) return Promise.reject(keyReused());
    // The transport delivered it twice.
    if (twin.commandId === commandId) return twin.answer as Promise<Answer>;
    return besides(twin);
  }

  async #answer<Command extends Keyed, Answer extends object>(
    owner: KeyOwner,
    { command, state }: { readonly command: Command; readonly state: Promise<KeyState> },
    work: Work<Command, Answer>,
  ): Promise<Answer & MaybeReplayed> {
    const found = await state;
    switch (found.kind) {
      case 'fresh':
        return this.#keep(owner, command.commandId, await this.#orFree(owner, command.commandId, work(command, false)));
      case 'takenOver': {
        // A refusal leaves the row: what an earlier request did under these ids may be stored, or yet to be.
        const { commandId, paymentId } = found;
        return this.#keep(owner, commandId, await work({ ...command, commandId, paymentId }, true));
      }
      case 'answered':
        return { ...(found.answer as Answer), isReplayed: found.commandId !== command.commandId };
      case 'reused':
        throw keyReused();
      case 'gone':
        throw inProgress();
    }
  }

  async #take(owner: KeyOwner, requestHash: string, command: Keyed): Promise<KeyState> {
    const { rows, clock } = this.parts;
    let state: KeyState = { kind: 'gone' };
    for (let tries = 1; state.kind === 'gone' && tries <= LIMITS.payments.keyTries; tries += 1) {
      state = await rows.take(owner, requestHash, command, clock.nowUs());
    }
    return state;
  }

  /** What was refused did nothing, and its key is as good as never used. */
  async #orFree<Answer>(owner: KeyOwner, commandId: string, working: Promise<Answer>): Promise<Answer> {
    try {
      return await working;
    } catch (error) {
      if (isRefusal(error)) {
        await this.parts.rows.free(owner, commandId).catch((err: unknown) => {
          this.parts.logger.warn({ err }, 'the idempotency key of a refused request stays for a day');
        });
      }
      throw error;
    }
  }

  /** The work is done and stored: whether its answer can be kept as well, its caller gets it. */
  async #keep<Answer extends object>(owner: KeyOwner, commandId: string, answer: Answer): Promise<Answer> {
    try {
      return ((await this.parts.rows.answer(owner, commandId, answer)) ?? answer) as Answer;
    } catch (err) {
      this.parts.logger.warn({ err }, 'an answer was not kept under its idempotency key');
      return answer;
    }
  }
}

/** The answer to a request whose twin is at it: only if that runs, and does not just read what was answered before. */
async function besides<Answer>(twin: InProgress): Promise<Answer & MaybeReplayed> {
  const found = await twin.state;
  if (found.kind === 'answered') return { ...(found.answer as Answer), isReplayed: true };
  throw found.kind === 'reused' ? keyReused() : inProgress();
}

/** Whether an error says that nothing was stored, now or later. */
function isRefusal(error: unknown): boolean {
  return error instanceof SettleError && error.code !== 'outcome_unknown' && error.code !== 'internal_error';
}

function keyReused(): SettleError {
  return new SettleError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request: give each request a key of its own.',
  );
}

function inProgress(): SettleError {
  return new SettleError(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still running: send it again shortly.',
  );
}
