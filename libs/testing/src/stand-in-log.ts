import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';

/** An event as the client sent it. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface LoggedEvent extends ProposedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
}

export type AppendOutcome =
  | { readonly kind: 'stored'; readonly revision: number; readonly position: number }
  /** `currentRevision` is -1 if the stream does not exist. */
  | { readonly kind: 'wrong-version'; readonly currentRevision: number };

/** Data and metadata are in base64. */
type Line = readonly [stream: string, id: string, type: string, contentType: string, data: string, metadata: string];

const FIRST_POSITION = 4_096;
const BYTES_BESIDE_DATA = 160;

const base64Of = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** Keeps all events in memory, and as lines of a file that the next process reads. */
export class StandInLog {
  readonly events: LoggedEvent[] = [];
  readonly #streams = new Map<string, LoggedEvent[]>();
  readonly #file: number;
  #position = FIRST_POSITION;

  constructor(path: string) {
    for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
      if (line === '') continue;
      const [stream, id, type, contentType, data, metadata] = JSON.parse(line) as Line;
      const bytes = { data: Buffer.from(data, 'base64'), metadata: Buffer.from(metadata, 'base64') };
      this.#keep(stream, { id, type, contentType, ...bytes });
    }
    this.#file = openSync(path, 'a');
  }

  stream(name: string): readonly LoggedEvent[] | undefined {
    return this.#streams.get(name);
  }

  /**
   * Stores events after `expectedRevision` (-1: no stream). Events that are already exactly there with the same
   * ids get the same response as the first time. At the end of the stream an id is stored even if it exists elsewhere.
   */
  append(stream: string, expectedRevision: number, events: readonly ProposedEvent[]): AppendOutcome {
    const standing = this.#streams.get(stream) ?? [];
    if (expectedRevision !== standing.length - 1) {
      const there = standing.slice(expectedRevision + 1, expectedRevision + 1 + events.length);
      const last = there.at(-1);
      const isRepeated = there.length === events.length && events.every(({ id }, index) => there[index]?.id === id);
      if (isRepeated && last !== undefined) return { kind: 'stored', ...last };
      return { kind: 'wrong-version', currentRevision: standing.length - 1 };
    }
    const lines = events.map(({ id, type, contentType, data, metadata }): Line => {
      return [stream, id, type, contentType, base64Of(data), base64Of(metadata)];
    });
    writeSync(this.#file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    for (const event of events) this.#keep(stream, event);
    return { kind: 'stored', revision: expectedRevision + events.length, position: this.#position };
  }

  close(): void {
    closeSync(this.#file);
  }

  #keep(stream: string, event: ProposedEvent): void {
    const standing = this.#streams.get(stream) ?? [];
    this.#streams.set(stream, standing);
    this.#position += BYTES_BESIDE_DATA + event.data.length + event.metadata.length;
    const logged = { ...event, stream, revision: standing.length, position: this.#position };
    standing.push(logged);
    this.events.push(logged);
  }
}
