import { LIMITS } from '@settle/config';
import { START, type ReadableLog, type StoredEvent } from '@settle/event-store';
import type { ClientBase } from 'pg';
import { readCheckpoint } from '../projection/checkpoints.js';
import { EVERY_STREAM } from '../storage/streams.js';
import type { InSnapshot } from './snapshots.js';

const { silenceMs, nearMs, catchUps } = LIMITS.operators;

/** Receives events in order, one batch at a time. */
type Take = (events: readonly StoredEvent[]) => Promise<void>;

export interface ReplaySource {
  readonly store: Pick<ReadableLog, 'subscribe'>;
  /** Called with progress, often. */
  readonly say: (line: string) => void;
}

export interface ReplayRange {
  /** What the lines of progress begin with. */
  readonly name: string;
  readonly streamPrefixes: readonly string[];
  /** Position after which events are passed on; from the first event on if absent. */
  readonly after?: number;
  readonly upTo: number;
}

/**
 * Passes on every event of some streams up to a position. Rejects if the log ends, or delivers nothing, before that
 * position.
 */
export function replay(source: ReplaySource, range: ReplayRange, take: Take): Promise<void> {
  const { name, streamPrefixes, after = START, upTo } = range;
  if (upTo <= after) return Promise.resolve();
  const isTaken = ({ stream, position }: StoredEvent) =>
    position <= upTo && streamPrefixes.some((prefix) => stream.startsWith(prefix));
  return new Promise<void>((resolve, reject) => {
    const end = (outcome: () => void) => {
      clearTimeout(silence);
      void subscription.stop();
      outcome();
    };
    const fallSilent = () => end(() => reject(new Error(`The event log ends before position ${upTo}`)));
    let silence = setTimeout(fallSilent, silenceMs);
    const subscription = source.store.subscribe({
      // Includes events of other streams: one of them may be at the last position.
      streamPrefixes: EVERY_STREAM,
      after,
      batchSize: LIMITS.eventStore.eventsPerRead,
      handle: async (events, reached) => {
        clearTimeout(silence);
        await take(events.filter(isTaken));
        source.say(progressLine(name, reached, upTo));
        if (reached >= upTo) end(resolve);
        else silence = setTimeout(fallSilent, silenceMs);
      },
      onError: (error) => end(() => reject(error instanceof Error ? error : new Error(String(error)))),
    });
  });
}

export function progressLine(name: string, position: number, upTo: number): string {
  const reached = Math.min(position, upTo);
  return `${name}: position ${reached} of ${upTo}, ${Math.floor((100 * reached) / Math.max(upTo, 1))} %`;
}

export interface CheckpointSource extends ReplaySource {
  /** Outside `atOneMoment` each statement has its own snapshot. */
  readonly client: ClientBase;
  /** Runs work in one snapshot of `client`. Meanwhile no dead row of any table can be removed. */
  readonly atOneMoment: InSnapshot;
}

/** Replays the log up to the checkpoint of a projection, which moves meanwhile. */
export class CheckpointReplay {
  #position = START;

  constructor(
    private readonly source: CheckpointSource,
    private readonly projection: Pick<ReplayRange, 'name' | 'streamPrefixes'>,
    private readonly take: Take,
  ) {}

  get position(): number {
    return this.#position;
  }

  /** Replays until the checkpoint is near. */
  async catchUp(): Promise<void> {
    for (let turn = 0, tookMs = Infinity; turn < catchUps && tookMs > nearMs; turn += 1) {
      const sinceMs = performance.now();
      await this.#replay();
      tookMs = performance.now() - sinceMs;
    }
  }

  /** Runs work in a snapshot in which the replay is exactly at the checkpoint. */
  atCheckpoint(work: () => Promise<void>): Promise<void> {
    return this.source.atOneMoment(async () => {
      await this.#replay();
      await work();
    });
  }

  async #replay(): Promise<void> {
    const { name, streamPrefixes } = this.projection;
    const upTo = await readCheckpoint(this.source.client, name);
    if (upTo < this.#position) throw new Error('The read models went back while they were compared: verify again');
    await replay(this.source, { name, streamPrefixes, after: this.#position, upTo }, this.take);
    this.#position = upTo;
  }
}
