import { settlesWithin } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Consumer, ConsumerGroupJoinEvent, EachBatchPayload } from 'kafkajs';
import { RETRY_PAUSES } from './kafka-connection.js';
import { readerError, withRight } from './missing-right.js';
import { PartitionProgress } from './partition-progress.js';
import { createPinnedAssigner } from './pinned-assigner.js';
import type { TopicReaderOptions } from './topic-reader-options.js';

const { maxFetchWaitMs, rebalanceTimeoutMs, bytesPerPartition, commitEveryMs, disconnectWaitMs } = LIMITS.kafka;

/** Kafka requests with which a member's session starts again. */
const SESSION_REQUESTS = new Set(['SyncGroup', 'Heartbeat']);

/** Reads one topic as a member of one group and commits finished offsets, never beyond the lowest unfinished one. */
export class TopicReader {
  readonly #consumer: Consumer;
  readonly #progress = new Map<number, PartitionProgress>();
  readonly #committing: NodeJS.Timeout;
  #pinned: ReadonlyMap<number, string> = new Map();
  #assignment: ReadonlySet<number> = new Set();
  /** Times of the clock that stamps records: the machines' clocks are assumed to agree. */
  readonly #gainedAtMs = new Map<number, number>();
  #memberId = '';
  #contactAtMs = 0;
  /** When the newest message to the group was sent, and the newest accepted one; by the clock that stamps records. */
  #sentAtMs = 0;
  #confirmedAtMs = 0;
  #isCommitting = false;
  #isClosing = false;
  #isLeaving = false;
  #starting: Promise<void> = Promise.resolve();
  #leaving: Promise<void> | null = null;

  constructor(private readonly options: TopicReaderOptions) {
    const { kafka, topic, groupId, sessionTimeoutMs, pin } = options;
    this.#consumer = kafka.consumer({
      groupId,
      sessionTimeout: sessionTimeoutMs,
      heartbeatInterval: heartbeatMs(sessionTimeoutMs),
      rebalanceTimeout: rebalanceTimeoutMs,
      maxWaitTimeInMs: maxFetchWaitMs,
      maxBytesPerPartition: bytesPerPartition,
      allowAutoTopicCreation: false,
      retry: RETRY_PAUSES,
      ...(pin === undefined ? {} : { partitionAssigners: [createPinnedAssigner(topic, pin.partitions)] }),
    });
    this.#committing = setInterval(() => void this.#commit(), commitEveryMs);
  }

  /** Resolves once the group has assigned partitions to this reader. */
  start(): Promise<void> {
    return (this.#starting = this.#start());
  }

  async #start(): Promise<void> {
    const { pin } = this.options;
    if (pin !== undefined) this.#pinned = await pin.offsets();
    const { CRASH, GROUP_JOIN, HEARTBEAT, REQUEST } = this.#consumer.events;
    const joined = new Promise<void>((resolve, reject) => {
      this.#consumer.on(GROUP_JOIN, (event) => {
        // Joined too late: kafkajs would no longer end it. This reader ends here, and the group drops its member.
        if (this.#isLeaving) throw new Error('This reader has left.');
        this.#onJoin(event);
        resolve();
      });
      this.#consumer.on(CRASH, ({ payload: { error, restart } }) => {
        // With `restart` kafkajs joins again by itself.
        if (restart) return;
        const reason = readerError(error, this.options);
        reject(reason);
        if (!this.#isClosing) this.options.onFatal(reason);
      });
    });
    joined.catch(() => undefined);
    this.#consumer.on(REQUEST, ({ payload: { apiName, sentAt } }) => {
      if (SESSION_REQUESTS.has(apiName)) this.#sentAtMs = sentAt;
    });
    this.#consumer.on(HEARTBEAT, () => this.#onContact());
    await this.#consumer.connect();
    const { topic } = this.options;
    await withRight('Read', `topic ${topic}`, () => this.#consumer.subscribe({ topic, fromBeginning: true }));
    await this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => this.#onBatch(payload),
    });
    await joined;
  }

  has(partition: number): boolean {
    return this.#assignment.has(partition);
  }

  /** Whether it is a member of its group and had contact recently. */
  isAlive(): boolean {
    const silentMs = performance.now() - this.#contactAtMs;
    return this.#memberId !== '' && silentMs < 2 * this.options.sessionTimeoutMs;
  }

  /** Stops reading and stays in the group until its next rebalance: what it has begun still belongs to it. */
  pause(): void {
    this.#isClosing = true;
    try {
      this.#consumer.pause([{ topic: this.options.topic }]);
    } catch {
      // It is joining, or joining again: a batch that still arrives is not begun.
    }
  }

  /** Commits finished offsets and leaves the group. */
  leave(): Promise<void> {
    this.#isClosing = true;
    return (this.#leaving ??= this.#leave());
  }

  async #leave(): Promise<void> {
    clearInterval(this.#committing);
    // A reader that leaves while it starts would complete its start and read forever.
    await settlesWithin(this.#starting, disconnectWaitMs);
    this.#isLeaving = true;
    await settlesWithin(this.#commit(), disconnectWaitMs);
    this.#giveUpAssignment();
    await settlesWithin(this.#consumer.disconnect(), disconnectWaitMs);
  }

  /** From now on other instances may begin again what this reader has begun and not ended. */
  #giveUpAssignment(): void {
    const lost = this.#assignment;
    this.#assignment = new Set();
    this.#progress.clear();
    if (lost.size > 0) this.options.onAssignmentChange?.(lost);
  }

  /** The time of sending counts: a reader that was frozen may find the response long after the group dropped it. */
  #onContact(): void {
    this.#contactAtMs = performance.now();
    this.#confirmedAtMs = this.#sentAtMs;
  }

  #onJoin({ payload: { memberId, memberAssignment } }: ConsumerGroupJoinEvent): void {
    const assigned = new Set(memberAssignment[this.options.topic]);
    // A new member id means that the group had dropped this reader: others may have processed every partition since.
    const before = memberId === this.#memberId ? this.#assignment : new Set<number>();
    const gained = [...assigned].filter((partition) => !before.has(partition));
    const lost = [...this.#assignment].filter((partition) => !assigned.has(partition) || !before.has(partition));
    const moved = new Set([...gained, ...lost]);
    // Pinned partitions have no other reader.
    if (this.options.pin === undefined) for (const partition of moved) this.#progress.delete(partition);
    for (const partition of gained) this.#gainedAtMs.set(partition, Date.now());
    this.#assignment = assigned;
    this.#memberId = memberId;
    this.#onContact();
    for (const [partition, offset] of this.#pinned) this.#seek(partition, Number(offset));
    if (moved.size > 0) this.options.onAssignmentChange?.(moved);
    // It will not read what it is assigned now: leave, so that others wait no longer than for the next rebalance.
    if (this.#isClosing && this.options.pin === undefined) void this.leave();
  }

  /** Continues where this reader was when it was a member before. */
  #seek(partition: number, firstOffset: number): void {
    const progress = this.#progress.get(partition) ?? new PartitionProgress(firstOffset);
    this.#progress.set(partition, progress);
    const offset = String(progress.toCommit() ?? firstOffset);
    this.#consumer.seek({ topic: this.options.topic, partition, offset });
  }

  async #onBatch({ batch, resolveOffset, heartbeat }: EachBatchPayload): Promise<void> {
    if (this.#isClosing) return;
    const { partition, messages } = batch;
    const progress = this.#progressOf(partition, Number(batch.highWatermark));
    const isCurrent = () => this.#progress.get(partition) === progress;
    await this.options.onBatch({
      partition,
      messages,
      isCurrent,
      begin: (offset) => progress.begin(Number(offset)),
      finish: (offset) => progress.finish(Number(offset)),
      committed: (offset) => {
        void this.#commit();
        return progress.committed(Number(offset));
      },
      mayBeBegunElsewhere: ({ timestamp }) =>
        !isCurrent() || this.#mayBeExpelled() || Number(timestamp) <= (this.#gainedAtMs.get(partition) ?? 0),
      skip: resolveOffset,
      heartbeat,
    });
  }

  /** Whether the group may have assigned its partitions to others without this reader knowing. */
  #mayBeExpelled(): boolean {
    return Date.now() - this.#confirmedAtMs >= this.options.sessionTimeoutMs;
  }

  #progressOf(partition: number, highWatermark: number): PartitionProgress {
    const existing = this.#progress.get(partition);
    // A log that ends before a read offset has lost its end, and counts anew.
    if (existing !== undefined && existing.next <= highWatermark) return existing;
    const progress = new PartitionProgress();
    this.#progress.set(partition, progress);
    return progress;
  }

  async #commit(): Promise<void> {
    const { topic, logger, pin } = this.options;
    if (this.#isCommitting || pin !== undefined) return;
    const due = [...this.#progress].flatMap(([partition, progress]) => {
      const offset = progress.toCommit();
      return offset === null ? [] : [{ partition, progress, offset }];
    });
    if (due.length === 0) return;
    this.#isCommitting = true;
    try {
      const offsets = due.map(({ partition, offset }) => ({ topic, partition, offset: String(offset) }));
      await this.#consumer.commitOffsets(offsets);
      for (const { progress, offset } of due) progress.onCommitted(offset);
    } catch (err) {
      logger.debug({ err, topic }, 'offsets not committed; retrying shortly');
    }
    this.#isCommitting = false;
  }
}

/** Returns the pause between heartbeats, by which the last member of a group notices a rebalance. */
export function heartbeatMs(sessionTimeoutMs: number): number {
  return Math.min(LIMITS.kafka.heartbeatEveryMs, Math.floor(sessionTimeoutMs / 25));
}
