import { formatDollars } from '@settle/contracts';
import { AGREEMENTS, DIFFERENCES, type BookingClass, type ClassSum } from './comparison.js';
import type { LoadedStatement } from './load-statement.js';
import type { OutsideSums } from './own-bookings.js';
import { CLASS_WORDS } from './say-unequal.js';
import { BOOKING_KINDS, DIRECTIONS } from './statement.js';
import { isoTime } from '../iso-time.js';

/**
 * The sums of a reconciliation. What was booked here and what the classes explain add up, to the cent, to what the
 * statement's rows move.
 */
export class Summary {
  constructor(
    private readonly statement: LoadedStatement,
    private readonly sums: readonly ClassSum[],
    private readonly outside: OutsideSums,
  ) {}

  /** Whether nothing differs and the statement adds up. */
  get isEqual(): boolean {
    return this.#isConsistent && DIFFERENCES.every((name) => this.#rowsOf(name) === 0);
  }

  lines(): readonly string[] {
    const { provider, fromUs, toUs, rows, openingCents, closingCents } = this.statement;
    const period = `${isoTime(fromUs)} up to ${isoTime(toUs)}`;
    return [
      `statement of ${provider}, ${period}: ${rows} rows`,
      ...this.#kindLines(),
      ...this.#pendingLines(),
      `moved here within the period: ${formatDollars(this.#movedHereCents)}`,
      ...this.#explanations().map(([words, cents]) => `  ${words}: ${formatDollars(cents)}`),
      `moved by the statement: ${formatDollars(this.statement.movedCents)}, from ${formatDollars(openingCents)} to ${formatDollars(closingCents)}`,
      ...(this.#isConsistent ? [] : [`the statement does not add up: it is off by ${formatDollars(this.#offCents)}`]),
      ...this.#outsideLines(),
      ...DIFFERENCES.map((name) => `${CLASS_WORDS[name]}: ${this.#rowsOf(name)}`),
      this.isEqual ? 'Both sides agree' : 'The books differ',
    ];
  }

  /** Signed: money in less money out. */
  get #movedHereCents(): number {
    return this.sums.reduce((sum, { kind, hereCents }) => sum + DIRECTIONS[kind] * hereCents, 0);
  }

  /** By how much the closing sum differs from the opening sum and the rows. */
  get #offCents(): number {
    const { openingCents, closingCents, movedCents } = this.statement;
    return closingCents - openingCents - movedCents;
  }

  get #isConsistent(): boolean {
    return this.#offCents === 0;
  }

  /** The reasons why the statement moves another sum than we do. */
  #explanations(): (readonly [words: string, cents: number])[] {
    const ofClasses = [...DIFFERENCES, ...AGREEMENTS].map((name) => {
      const cents = this.sums
        .filter((sum) => sum.class === name)
        .reduce((sum, { kind, thereCents, hereCents }) => sum + DIRECTIONS[kind] * (thereCents - hereCents), 0);
      return [CLASS_WORDS[name], cents] as const;
    });
    const { fee, settlement } = this.statement.summedCents;
    return [...ofClasses, ['fees', -fee] as const, ['settlements', -settlement] as const].filter(
      ([, cents]) => cents !== 0,
    );
  }

  #kindLines(): readonly string[] {
    return BOOKING_KINDS.flatMap((kind) => {
      const own = this.sums.filter((sum) => sum.kind === kind);
      const here = own.reduce((sum, { hereCents }) => sum + hereCents, 0);
      const there = own.reduce((sum, { thereCents }) => sum + thereCents, 0);
      return own.length === 0 ? [] : [`${kind}: ${formatDollars(here)} here, ${formatDollars(there)} there`];
    });
  }

  #pendingLines(): readonly string[] {
    return this.sums.flatMap(({ kind, class: name, rows, cents }) =>
      name === 'pending' ? [`pending: ${rows} ${kind}, ${formatDollars(cents)}`] : [],
    );
  }

  #outsideLines(): readonly string[] {
    const { bankInCents, bankOutCents, demoInCents, demoOutCents } = this.outside;
    const all = [
      ['bank transfers booked by operators', bankInCents, bankOutCents],
      ['demo and test money', demoInCents, demoOutCents],
    ] as const;
    return all.flatMap(([words, inCents, outCents]) =>
      inCents === 0 && outCents === 0
        ? []
        : [
            `${words}, of which the provider knows nothing: ${formatDollars(inCents)} in, ${formatDollars(outCents)} out`,
          ],
    );
  }

  #rowsOf(name: BookingClass): number {
    return this.sums.filter((sum) => sum.class === name).reduce((count, { rows }) => count + rows, 0);
  }
}
