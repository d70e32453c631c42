import {
  SettleError,
  advanceFunding,
  claimHeld,
  continuePayment,
  type AdvanceFunding,
  type ClaimHeld,
  type ContinuePayment,
} from '@settle/contracts';
import type { MessageBus, RequestEnvelope } from '@settle/messaging';
import type { LabInstance } from './ledger-lab.fixture.js';

/** Ties instances of one lab together, each with its share of the users; what they ask each other passes through it. */
export class SharedOut {
  readonly instances: LabInstance[] = [];
  /** Requests without a responder. */
  isSilent = false;
  asked = 0;
  #heldBack: Promise<void> = Promise.resolve();
  readonly #moved: ((isMoved: (key: string) => boolean) => void)[] = [];

  /** @param indexOf which instance a user's wallet belongs to */
  constructor(public indexOf: (userId: string) => number) {}

  /** Before the instance itself, which is then to be added to `instances` at this index. */
  bus(index: number): MessageBus {
    const refuse = () => {
      throw new Error('A lab has no other messages');
    };
    return {
      owns: (_topic, key) => this.indexOf(key) === index,
      onAssignmentChange: (_topic, listener) => void this.#moved.push(listener),
      request: (envelope) => this.#request(envelope),
      publish: refuse,
      handle: refuse,
      consume: refuse,
      close: () => Promise.resolve(),
    };
  }

  /** Assigns users to other instances and notifies them. */
  shareOut(indexOf: (userId: string) => number): void {
    const before = this.indexOf;
    this.indexOf = indexOf;
    for (const forget of this.#moved) forget((userId) => before(userId) !== indexOf(userId));
  }

  /** From now on what is asked arrives only once the function that is returned is called. */
  holdBack(): () => void {
    let release = () => {};
    this.#heldBack = new Promise((resolve) => (release = resolve));
    return () => release();
  }

  async #request(envelope: RequestEnvelope): Promise<object> {
    const { pattern, key, payload } = envelope;
    this.asked += 1;
    // As over a network: what is asked begins in another turn.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#heldBack;
    if (this.isSilent) throw new SettleError('outcome_unknown', 'No answer came in time.');
    const commands = this.instances[this.indexOf(key)]?.commands;
    if (commands === undefined) throw new Error(`No instance owns ${key}`);
    if (pattern === continuePayment.pattern) return commands.continue(payload as ContinuePayment, envelope);
    if (pattern === claimHeld.pattern) return commands.claim(payload as ClaimHeld);
    if (pattern === advanceFunding.pattern) {
      const { kind, fundingId } = payload as AdvanceFunding;
      await this.instances[this.indexOf(key)]?.ledger.fundingUnits?.runner.advance({ kind, id: fundingId });
      return { fundingId };
    }
    throw new Error(`No caller requests ${pattern}`);
  }
}
