import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { SettleError, type AddFunds } from '@settle/contracts';
import { NO_STREAM, RevisionConflict, type EventStore, type NewEvent } from '@settle/event-store';
import { decideWallet } from '@settle/payments-domain';
import { newWalletEvent, stepId, walletStream } from '../streams.js';
import { newestTail } from '../transfer/wallets.js';

const RETRY_PAUSE_MS = 5;

/** Puts money into wallets from outside. Each command once: a stream of its own says that it has been done. */
export class Deposits {
  constructor(private readonly store: EventStore) {}

  /** @returns the position that shows the deposit. Errors: `service_unavailable` after too many conflicts. */
  async add({ commandId, userId, amountCents }: AddFunds, sourceId: string, atUs: number): Promise<number> {
    for (let attempt = 1; attempt <= LIMITS.payments.appendTries; attempt += 1) {
      const done = await this.#positionOf(commandId);
      if (done !== null) return done;
      const tail = await newestTail(this.store, userId);
      const events = decideWallet({ type: 'deposit', amountCents, sourceId, atUs }, tail);
      try {
        const { position } = await this.store.append([
          { stream: depositStream(commandId), expectedRevision: NO_STREAM, events: [accepted(commandId, userId)] },
          {
            stream: walletStream(userId),
            expectedRevision: tail.revision,
            events: events.map((event) => newWalletEvent(userId, event, commandId)),
          },
        ]);
        return position;
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
        await pause(Math.random() * RETRY_PAUSE_MS);
      }
    }
    throw new SettleError('service_unavailable', 'This wallet is too busy and nothing was begun. Send it again.');
  }

  async #positionOf(commandId: string): Promise<number | null> {
    const stored = await this.store.readStream(depositStream(commandId), { direction: 'forwards', limit: 1 });
    return stored[0]?.position ?? null;
  }
}

const depositStream = (commandId: string): string => `deposit-${commandId}`;

function accepted(commandId: string, userId: string): NewEvent {
  return { id: stepId(`deposit/${commandId}`), type: 'DepositAccepted', data: { userId } };
}
