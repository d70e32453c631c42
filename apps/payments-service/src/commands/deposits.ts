import { LIMITS } from '@settle/config';
import { SettleError, type AddFunds } from '@settle/contracts';
import {
  AppendOutcomeUnknown,
  NO_STREAM,
  StoreUnavailable,
  handle,
  type AppendUnit,
  type EventStore,
  type NewEvent,
  type StoredEvent,
} from '@settle/event-store';
import { decideWallet } from '@settle/payments-domain';
import { newWalletEvent, stepId } from '../storage/step-ids.js';
import { readWalletEvent, walletStream } from '../storage/streams.js';
import type { WalletTail } from '../transfer/transfer-progress.js';
import type { WalletCache } from '../transfer/wallet-cache.js';

interface Known {
  /** It was accepted, and may have come no further. */
  readonly isAccepted: boolean;
  /** Where the deposit stands in the wallet, if it has been done. */
  readonly donePosition: number | null;
  readonly tail: WalletTail;
}

/**
 * Puts money into wallets from outside. Each command once: a stream of its own says that it was accepted, and after
 * which event of the wallet it is to be found there. Where only that was stored, the same command does the rest.
 */
export class Deposits {
  constructor(
    private readonly store: EventStore,
    private readonly wallets: WalletCache,
  ) {}

  /**
   * @returns the position that shows the deposit. Errors: `service_unavailable`, `outcome_unknown`; the same command may
   * be sent again after either.
   */
  async add(command: AddFunds, sourceId: string, atUs: number): Promise<number> {
    const deposit = {
      load: () => this.#load(command),
      decide: (known: Known) =>
        known.donePosition === null
          ? { unit: depositUnit(command, known, { sourceId, atUs }), answer: 0 }
          : { unit: [], answer: known.donePosition },
    };
    try {
      const { answer, position } = await handle(this.store, deposit);
      // What is kept of the wallet does not know of it: a charge, which moves no wallet, would answer the old balance.
      this.wallets.evict(command.userId);
      return position ?? answer;
    } catch (error) {
      if (error instanceof AppendOutcomeUnknown) {
        throw new SettleError('outcome_unknown', 'The ledger has not answered. Send the same command again.');
      }
      if (!(error instanceof StoreUnavailable)) throw error;
      throw new SettleError('service_unavailable', 'The ledger is busy or away and nothing was begun. Send it again.');
    }
  }

  /** The wallet first: whatever another process does for the same command after that lies behind the tail read here. */
  async #load({ commandId, userId }: AddFunds): Promise<Known> {
    const { tail } = await this.wallets.readNewest(userId);
    const stream = depositStream(commandId);
    const [accepted] = await this.store.readStream(stream, { direction: 'forwards', limit: 1 });
    if (accepted === undefined) return { isAccepted: false, donePosition: null, tail };
    // Before it was written down, accepting and doing were one append of one store.
    const { walletRevision = NO_STREAM } = accepted.data as Accepted;
    return { isAccepted: true, donePosition: await this.#find(commandId, userId, walletRevision + 1), tail };
  }

  /** Where the deposit stands in its wallet, looked for from the first revision that it can have; null: nowhere. */
  async #find(commandId: string, userId: string, firstRevision: number): Promise<number | null> {
    const limit = LIMITS.eventStore.eventsPerRead;
    for (let fromRevision = firstRevision; ; fromRevision += limit) {
      const events = await this.store.readStream(walletStream(userId), { direction: 'forwards', fromRevision, limit });
      const done = events.find((stored) => isDepositOf(commandId, userId, stored));
      if (done !== undefined) return done.position;
      if (events.length < limit) return null;
    }
  }
}

/** What stands in a deposit's own stream. */
interface Accepted {
  readonly userId: string;
  /** The wallet's newest revision when it was accepted: the deposit comes after it. */
  readonly walletRevision?: number;
}

const depositStream = (commandId: string): string => `deposit-${commandId}`;

function isDepositOf(commandId: string, userId: string, stored: StoredEvent): boolean {
  const fact = readWalletEvent(stored);
  if (fact.type !== 'FundsAdded' || fact.data.paymentId !== null) return false;
  return stored.id === newWalletEvent(userId, fact, commandId).id;
}

function depositUnit(
  { commandId, userId, amountCents }: AddFunds,
  { isAccepted, tail }: Known,
  { sourceId, atUs }: { sourceId: string; atUs: number },
): AppendUnit {
  const events = decideWallet({ type: 'deposit', amountCents, sourceId, atUs }, tail);
  const inWallet = {
    stream: walletStream(userId),
    expectedRevision: tail.revision,
    events: events.map((event) => newWalletEvent(userId, event, commandId)),
  };
  if (isAccepted) return [inWallet];
  const accepted = acceptedEvent(commandId, { userId, walletRevision: tail.revision });
  return [{ stream: depositStream(commandId), expectedRevision: NO_STREAM, events: [accepted] }, inWallet];
}

function acceptedEvent(commandId: string, data: Accepted): NewEvent {
  return { id: stepId(`deposit/${commandId}`), type: 'DepositAccepted', data };
}
