import type { SourceOrder } from '../../src/next-step.js';
import type { Chance } from './chance.fixture.js';
import type { Person, Scenario } from './scenario.fixture.js';

export type Answer = 'yes' | 'no' | 'silence';

/** Banks and cards outside: the same key gets the same answer, and some answers never arrive. */
export class ModelSource {
  readonly #answers = new Map<string, boolean>();
  readonly #orders = new Map<string, SourceOrder>();
  /** Money that has left the sources and not come back. */
  takenCents = 0;
  isReachable = false;

  constructor(
    private readonly scenario: Scenario,
    private readonly chance: Chance,
  ) {}

  charge(key: string, ownerId: string, order: SourceOrder): Answer {
    const verdict = this.scenario.sources[ownerId as Person];
    const says = verdict === 'approves' || (verdict === 'varies' && this.chance.hits(0.5));
    return this.#answer({ key, order, says, movesCents: order.totalCents });
  }

  repay(key: string, order: SourceOrder): Answer {
    const { repays } = this.scenario;
    const says = repays === 'always' || (repays === 'varies' && this.chance.hits(0.5));
    return this.#answer({ key, order, says, movesCents: -order.totalCents });
  }

  /** Undefined when it was never asked. */
  answerTo(key: string): boolean | undefined {
    return this.#answers.get(key);
  }

  #answer(asked: { key: string; order: SourceOrder; says: boolean; movesCents: number }): Answer {
    const { key, order } = asked;
    if (this.#isLost()) return 'silence';
    const before = this.#orders.get(key);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(order)) {
      throw new Error(`The source was asked two things under the key ${key}`);
    }
    let answer = this.#answers.get(key);
    if (answer === undefined) {
      answer = asked.says;
      this.#answers.set(key, answer);
      this.#orders.set(key, order);
      if (answer) this.takenCents += asked.movesCents;
    }
    if (this.#isLost()) return 'silence';
    return answer ? 'yes' : 'no';
  }

  #isLost(): boolean {
    return !this.isReachable && this.chance.hits(this.scenario.lossRate);
  }
}
