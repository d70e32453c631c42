import { SettleError, type AddFunds } from '@settle/contracts';
import {
  AppendOutcomeUnknown,
  NO_STREAM,
  StoreUnavailable,
  handle,
  type AppendUnit,
  type EventStore,
  type NewEvent,
} from '@settle/event-store';
import { decideWallet } from '@settle/payments-domain';
import { newWalletEvent, stepId } from '../step-ids.js';
import { walletStream } from '../streams.js';
import type { WalletTail } from '../transfer/transfer-draft.js';
import { newestTail, type Wallets } from '../transfer/wallets.js';

interface Known {
  /** Where the deposit stands, if it has been done. */
  readonly donePosition: number | null;
  readonly tail: WalletTail;
}

/** Puts money into wallets from outside. Each command once: a stream of its own says that it has been done. */
export class Deposits {
  constructor(
    private readonly store: EventStore,
    private readonly wallets: Wallets,
  ) {}

  /**
   * @returns the position that shows the deposit. Errors: `service_unavailable`, `outcome_unknown`; the same command may
   * be sent again after either.
   */
  async add(command: AddFunds, sourceId: string, atUs: number): Promise<number> {
    const deposit = {
      load: () => this.#load(command),
      decide: ({ donePosition, tail }: Known) =>
        donePosition === null
          ? { unit: depositUnit(command, tail, { sourceId, atUs }), answer: 0 }
          : { unit: [], answer: donePosition },
    };
    try {
      const { answer, position } = await handle(this.store, deposit);
      // What is kept of the wallet does not know of it: a charge, which moves no wallet, would answer the old balance.
      this.wallets.forget(command.userId);
      return position ?? answer;
    } catch (error) {
      if (error instanceof AppendOutcomeUnknown) {
        throw new SettleError('outcome_unknown', 'The ledger has not answered. Send the same command again.');
      }
      if (!(error instanceof StoreUnavailable)) throw error;
      throw new SettleError('service_unavailable', 'The ledger is busy or away and nothing was begun. Send it again.');
    }
  }

  async #load({ commandId, userId }: AddFunds): Promise<Known> {
    const done = await this.store.readStream(depositStream(commandId), { direction: 'forwards', limit: 1 });
    return { donePosition: done[0]?.position ?? null, tail: await newestTail(this.store, userId) };
  }
}

const depositStream = (commandId: string): string => `deposit-${commandId}`;

function depositUnit(
  { commandId, userId, amountCents }: AddFunds,
  tail: WalletTail,
  { sourceId, atUs }: { sourceId: string; atUs: number },
): AppendUnit {
  const events = decideWallet({ type: 'deposit', amountCents, sourceId, atUs }, tail);
  return [
    { stream: depositStream(commandId), expectedRevision: NO_STREAM, events: [accepted(commandId, userId)] },
    {
      stream: walletStream(userId),
      expectedRevision: tail.revision,
      events: events.map((event) => newWalletEvent(userId, event, commandId)),
    },
  ];
}

function accepted(commandId: string, userId: string): NewEvent {
  return { id: stepId(`deposit/${commandId}`), type: 'DepositAccepted', data: { userId } };
}
