import { createRequire } from 'node:module';
import { encodeRecord } from './record-encoder.js';

/** The kafkajs version that the patches fit. The dependency is pinned to it, and a spec fails when it changes. */
export const PATCHED_VERSION = '2.2.4';

/** The interval at which kafkajs itself checks again whether it may send. */
const CHECK_AGAIN_MS = 10;

interface RequestQueue {
  throttleCheckTimeoutId: NodeJS.Timeout | null | undefined;
  /** Milliseconds since 1970. */
  readonly throttledUntil: number;
  readonly pending: readonly unknown[];
  checkPendingRequests(): void;
}

/** The part of kafkajs that is a member of a group, created anew at every start of a reader. */
interface ConsumerGroup {
  /** The same object at every start of a reader. */
  readonly cluster: object;
  /** Null: it is no member yet, and the group gives it an id. */
  memberId: string | null;
  connect(): Promise<void>;
  joinAndSync(): Promise<void>;
  leave(): Promise<void>;
  /** When the newest heartbeat was answered, in milliseconds since 1970. */
  lastRequest: number;
  heartbeat(options: { readonly interval: number }): Promise<void>;
}

let isPatched: boolean | undefined;

/** Applies the patches once. Returns whether the installed kafkajs is the version that they fit. */
export function patchKafkajs(): boolean {
  return (isPatched ??= applyPatches(createRequire(import.meta.url)));
}

function applyPatches(require: NodeJS.Require): boolean {
  const { version } = require('kafkajs/package.json') as { readonly version: string };
  if (version !== PATCHED_VERSION) return false;
  const { prototype: queue } = require('kafkajs/src/network/requestQueue') as { readonly prototype: object };
  const { prototype: group } = require('kafkajs/src/consumer/consumerGroup') as { readonly prototype: ConsumerGroup };
  const { KafkaJSError } = require('kafkajs/src/errors') as { readonly KafkaJSError: new (error: Error) => Error };
  armTimersOnDemand(queue);
  keepMembership(group, KafkaJSError);
  useOwnEncoder(require);
  return true;
}

/**
 * kafkajs arms a timer with a negative delay over and over on every connection: 2,700 times a second on three idle
 * ones, and a third more CPU. With this patch the timer is armed only if something waits for it.
 */
function armTimersOnDemand(prototype: object): void {
  Object.assign(prototype, {
    scheduleCheckPendingRequests(this: RequestQueue): void {
      if (this.throttleCheckTimeoutId !== null && this.throttleCheckTimeoutId !== undefined) return;
      const throttledMs = this.throttledUntil - Date.now();
      if (throttledMs <= 0 && this.pending.length === 0) return;
      const check = (): void => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      };
      this.throttleCheckTimeoutId = setTimeout(check, throttledMs > 0 ? throttledMs : CHECK_AGAIN_MS);
    },
  });
}

/**
 * While a broker is unavailable, kafkajs ends a reader and starts it again as a new member; its group then waits a whole
 * session for the previous member. With this patch the reader returns with the member id that the group knows, unless it
 * has left; kafkajs itself gives up an id that the group no longer knows. And if the group's coordinator is unknown,
 * kafkajs would end the reader for good; with this patch it retries, as it does after every other loss of the broker.
 * When the clock goes back, kafkajs would send no heartbeat until it has caught up, and the group would expel the reader.
 */
function keepMembership(prototype: ConsumerGroup, KafkaJSError: new (error: Error) => Error): void {
  const memberIds = new WeakMap<object, string>();
  const { connect, joinAndSync, leave, heartbeat } = prototype;
  Object.assign(prototype, {
    async connect(this: ConsumerGroup): Promise<void> {
      await connect.call(this);
      this.memberId ??= memberIds.get(this.cluster) ?? null;
    },
    async joinAndSync(this: ConsumerGroup): Promise<void> {
      try {
        await joinAndSync.call(this);
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'KafkaJSGroupCoordinatorNotFound') throw error;
        throw new KafkaJSError(error);
      }
      if (this.memberId !== null) memberIds.set(this.cluster, this.memberId);
    },
    async leave(this: ConsumerGroup): Promise<void> {
      await leave.call(this);
      memberIds.delete(this.cluster);
    },
    heartbeat(this: ConsumerGroup, options: { readonly interval: number }): Promise<void> {
      if (this.lastRequest > Date.now()) this.lastRequest = 0;
      return heartbeat.call(this, options);
    },
  });
}

/**
 * kafkajs encodes a record in a dozen small buffers; with this patch it uses `encodeRecord`. It loads its encoder with the
 * first request that has records, so the module is replaced before.
 */
function useOwnEncoder(require: NodeJS.Require): void {
  const path = require.resolve('kafkajs/src/protocol/recordBatch/record/v0');
  require(path);
  const encoder = require.cache[path];
  if (encoder !== undefined) encoder.exports = encodeRecord;
}
