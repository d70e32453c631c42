import { LIMITS } from '@settle/config';
import type { Environment } from '@settle/contracts';
import { START, type ReadableLog, type StoredEvent } from '@settle/event-store';
import type { ClientBase } from 'pg';
import { readCheckpoint } from '../projection/checkpoints.js';
import { logOf } from '../storage/environments.js';
import { EVERY_STREAM } from '../storage/streams.js';
import type { InSnapshot } from './snapshots.js';

const { silenceMs, progressEveryMs, nearMs, catchUps } = LIMITS.operators;

/** Receives events in order, one batch at a time, and the position that is reached with them. */
type Take = (events: readonly StoredEvent[], reached: number) => Promise<void>;

export interface ReplaySource {
  readonly store: Pick<ReadableLog, 'subscribe'>;
  /** Called with a line of progress once in a while. */
  readonly say: (line: string) => void;
}

export interface ReplayRange {
  /** The prefix of the lines of progress. */
  readonly name: string;
  readonly streamPrefixes: readonly string[];
  /** Position after which events are passed on; from the first event on if absent. */
  readonly after?: number;
  readonly upTo: number;
  readonly signal?: AbortSignal;
}

/** Returns a reader of an environment's whole log. Subscribers also get the positions of events outside the environment. */
export function wholeLogOf(environment: Environment, store: ReadableLog): ReadableLog {
  return logOf(environment, {
    readStream: (stream, options) => store.readStream(stream, options),
    subscribe: (options) => {
      const isWanted = ({ stream }: StoredEvent) => options.streamPrefixes.some((prefix) => stream.startsWith(prefix));
      const handle = (events: readonly StoredEvent[], upTo: number) => options.handle(events.filter(isWanted), upTo);
      return store.subscribe({ ...options, streamPrefixes: EVERY_STREAM, handle });
    },
  });
}

/**
 * Passes on every event of some streams up to a position. Rejects if the log ends, or delivers nothing, before that
 * position, and when the signal aborts.
 */
export function replay(source: ReplaySource, range: ReplayRange, take: Take): Promise<void> {
  const { name, streamPrefixes, after = START, upTo, signal } = range;
  if (upTo <= after) return Promise.resolve();
  const isTaken = ({ stream, position }: StoredEvent) =>
    position <= upTo && streamPrefixes.some((prefix) => stream.startsWith(prefix));
  const stopped = () => new Error('The replay was stopped');
  if (signal?.aborted) return Promise.reject(stopped());
  return new Promise<void>((resolve, reject) => {
    const end = (outcome: () => void) => {
      clearTimeout(silence);
      signal?.removeEventListener('abort', abort);
      void subscription.stop();
      outcome();
    };
    // After the batch in progress.
    const abort = () => void subscription.stop().then(() => end(() => reject(stopped())));
    signal?.addEventListener('abort', abort);
    const fallSilent = () => end(() => reject(new Error(`The event log ends before position ${upTo}`)));
    let saidAtMs = performance.now();
    const sayProgress = (reached: number) => {
      if (performance.now() - saidAtMs < progressEveryMs) return;
      saidAtMs = performance.now();
      source.say(`${name}: position ${reached} of ${upTo}, ${Math.floor((100 * reached) / upTo)} %`);
    };
    let silence = setTimeout(fallSilent, silenceMs);
    const subscription = source.store.subscribe({
      // Includes events of other streams: one of them may be at the last position.
      streamPrefixes: EVERY_STREAM,
      after,
      batchSize: LIMITS.eventStore.eventsPerRead,
      handle: async (events, position) => {
        clearTimeout(silence);
        const reached = Math.min(position, upTo);
        await take(events.filter(isTaken), reached);
        sayProgress(reached);
        if (reached === upTo) end(resolve);
        else silence = setTimeout(fallSilent, silenceMs);
      },
      onError: (error) => end(() => reject(error instanceof Error ? error : new Error(String(error)))),
    });
  });
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
