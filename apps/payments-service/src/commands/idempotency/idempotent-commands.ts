import { LIMITS } from '@settle/config';
import { SettleError, type CreatePayment, type MaybeReplayed } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { Clock } from '../../storage/clock.js';
import { isRefusal, orUnavailable } from '../../storage/database-unavailable.js';
import type { KeyOwner, KeyRows, KeyState } from './key-rows.js';

/** Fields of every command that may carry an idempotency key. */
type Keyed = Pick<CreatePayment, 'commandId' | 'paymentId' | 'appId' | 'actorId' | 'environment' | 'idempotency'>;

/** The ids under which a command runs: those of the first request with its key. */
type CommandIds = Pick<Keyed, 'commandId' | 'paymentId'>;

/**
 * Runs a command and returns its response.
 * @param mayExist the same request ran before under these ids and got no response
 */
type Work<Response> = (ids: CommandIds, mayExist: boolean) => Promise<Response>;

interface InProgress {
  readonly commandId: string;
  readonly requestHash: string;
  /** The state of its row when this request arrived. */
  readonly state: Promise<KeyState>;
  readonly response: Promise<object>;
}

/**
 * Runs each request with an idempotency key under one pair of ids, however often it is sent, and returns the first
 * response to all of them. All commands of a user come to one instance, so a repetition of a request in progress is known
 * from memory; if two instances run one request after all, the ids are the same, and so is the payment.
 */
export class IdempotentCommands {
  readonly #inProgress = new Map<string, InProgress>();

  constructor(
    private readonly rows: KeyRows,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Runs the command once; without a key, always. Errors beside those of `work`: `idempotency_key_reused`, `idempotency_in_progress`. */
  runOnce<Response extends object>(command: Keyed, work: Work<Response>): Promise<Response & MaybeReplayed> {
    const { idempotency, commandId } = command;
    // JSON has null for an absent key.
    if (!idempotency) return work(command, false);
    const { key, requestHash } = idempotency;
    const owner: KeyOwner = [command.actorId, command.appId, command.environment, key];
    const ownerKey = JSON.stringify(owner);
    const running = this.#inProgress.get(ownerKey);
    if (running === undefined) {
      const state = orUnavailable(this.#take(owner, requestHash, command));
      const response = this.#respond(owner, { command, state }, work);
      this.#inProgress.set(ownerKey, { commandId, requestHash, state, response });
      const release = () => this.#inProgress.delete(ownerKey);
      response.then(release, release);
      return response;
    }
    if (running.requestHash !== requestHash) return Promise.reject(keyReused());
    // The transport delivered the request twice.
    if (running.commandId === commandId) return running.response as Promise<Response>;
    return responseBeside(running);
  }

  async #respond<Response extends object>(
    owner: KeyOwner,
    { command, state }: { readonly command: Keyed; readonly state: Promise<KeyState> },
    work: Work<Response>,
  ): Promise<Response & MaybeReplayed> {
    const found = await state;
    switch (found.kind) {
      case 'fresh':
        return this.#store(owner, command.commandId, await this.#releaseIfRefused(owner, command, work));
      case 'takenOver': {
        // A refusal keeps the row: the earlier request may have stored something under these ids, or may yet.
        return this.#store(
          owner,
          found.commandId,
          await work({ commandId: found.commandId, paymentId: found.paymentId }, true),
        );
      }
      case 'answered':
        return { ...(found.answer as Response), isReplayed: found.commandId !== command.commandId };
      case 'reused':
        throw keyReused();
      case 'gone':
        throw inProgress();
    }
  }

  async #take(owner: KeyOwner, requestHash: string, command: Keyed): Promise<KeyState> {
    let state: KeyState = { kind: 'gone' };
    for (let tries = 1; state.kind === 'gone' && tries <= LIMITS.payments.keyTries; tries += 1) {
      state = await this.rows.take(owner, requestHash, command, this.clock.nowUs());
    }
    return state;
  }

  /** A refused request stored nothing, so its key can be used again. */
  async #releaseIfRefused<Response>(owner: KeyOwner, command: Keyed, work: Work<Response>): Promise<Response> {
    try {
      return await work(command, false);
    } catch (error) {
      if (isRefusal(error)) {
        await this.rows.free(owner, command.commandId).catch((err: unknown) => {
          this.logger.warn({ err }, 'idempotency key of a refused request not released; it expires in a day');
        });
      }
      throw error;
    }
  }

  /** The command is complete: its caller gets the response even if that cannot be stored for repetitions. */
  async #store<Response extends object>(owner: KeyOwner, commandId: string, response: Response): Promise<Response> {
    try {
      return ((await this.rows.answer(owner, commandId, response)) ?? response) as Response;
    } catch (err) {
      this.logger.warn({ err }, 'response not stored under its idempotency key; a repetition reads the payment');
      return response;
    }
  }
}

/** Returns the response to a repetition of a request in progress, if that one has found a stored response. */
async function responseBeside<Response>(running: InProgress): Promise<Response & MaybeReplayed> {
  const found = await running.state;
  if (found.kind === 'answered') return { ...(found.answer as Response), isReplayed: true };
  throw found.kind === 'reused' ? keyReused() : inProgress();
}

function keyReused(): SettleError {
  return new SettleError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request. Use a new key for each request.',
  );
}

function inProgress(): SettleError {
  return new SettleError(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still running: send it again shortly.',
  );
}
