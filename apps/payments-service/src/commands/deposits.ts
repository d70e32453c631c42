import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import {
  AppendOutcomeUnknown,
  NO_STREAM,
  StoreUnavailable,
  executeCommand,
  type AppendUnit,
  type EventStore,
} from '@settle/event-store';
import { decideWallet, type DepositAccepted } from '@settle/payments-domain';
import { belongingTo, newWalletEvent, stepId } from '../storage/step-ids.js';
import { readWalletEvent, walletStream } from '../storage/streams.js';
import type { WalletTail } from '../transfer/transfer-progress.js';
import type { WalletCache } from '../transfer/wallet-cache.js';

/** Money for a wallet that comes from no payment. */
export interface DepositCommand {
  readonly commandId: string;
  readonly userId: string;
  readonly amountCents: number;
}

interface Known {
  /** The command was accepted and may not have been completed. */
  readonly isAccepted: boolean;
  /** Log position of the deposit in the wallet; null if it was not made. */
  readonly donePosition: number | null;
  readonly tail: WalletTail;
}

/**
 * Deposits money into wallets from outside the ledger, once per command: a separate stream records that the command was
 * accepted and after which wallet revision to look for the deposit. If only that was stored, the same command completes
 * it.
 */
export class Deposits {
  constructor(
    private readonly store: EventStore,
    private readonly wallets: WalletCache,
  ) {}

  /**
   * Returns the log position that shows the deposit. Errors: `service_unavailable`, `outcome_unknown`; after either the
   * same command may be sent again.
   */
  async add(command: DepositCommand, sourceId: string, atUs: number): Promise<number> {
    const deposit = {
      load: () => this.#load(command),
      decide: (known: Known) =>
        known.donePosition === null
          ? { unit: depositUnit(command, known, { sourceId, atUs }), answer: 0 }
          : { unit: [], answer: known.donePosition },
    };
    try {
      const { answer, position } = await executeCommand(this.store, deposit);
      // The cached wallet lacks the deposit: a charge, which changes no wallet, would respond with the old balance.
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

  /**
   * The wallet first: what another process stores for the same command after that comes after the revision read here.
   */
  async #load({ commandId, userId }: DepositCommand): Promise<Known> {
    const { tail } = await this.wallets.readNewest(userId);
    const stream = depositStream(commandId);
    const [accepted] = await this.store.readStream(stream, { direction: 'forwards', limit: 1 });
    if (accepted === undefined) return { isAccepted: false, donePosition: null, tail };
    // Before the revision was recorded, acceptance and deposit were one append.
    const { walletRevision = NO_STREAM } = accepted.data as DepositAccepted['data'];
    return { isAccepted: true, donePosition: await this.#find(commandId, userId, walletRevision + 1), tail };
  }

  /** Finds the deposit in its wallet from the first possible revision on. Returns its log position, or null. */
  async #find(commandId: string, userId: string, firstRevision: number): Promise<number | null> {
    const limit = LIMITS.eventStore.eventsPerRead;
    for (let fromRevision = firstRevision; ; fromRevision += limit) {
      const events = await this.store.readStream(walletStream(userId), { direction: 'forwards', fromRevision, limit });
      const done = events.find((stored) => {
        const fact = readWalletEvent(stored);
        const isDeposit = fact.type === 'FundsAdded' && fact.data.paymentId === null;
        return isDeposit && stored.id === newWalletEvent(userId, fact, commandId).id;
      });
      if (done !== undefined) return done.position;
      if (events.length < limit) return null;
    }
  }
}

const depositStream = (commandId: string): string => `deposit-${commandId}`;

function depositUnit(
  { commandId, userId, amountCents }: DepositCommand,
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
  const data: DepositAccepted['data'] = { userId, walletRevision: tail.revision };
  const id = stepId(`deposit/${commandId}`);
  const accepted = { id, type: 'DepositAccepted', data, ...belongingTo(commandId) };
  return [{ stream: depositStream(commandId), expectedRevision: NO_STREAM, events: [accepted] }, inWallet];
}
