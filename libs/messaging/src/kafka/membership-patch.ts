import { createRequire } from 'node:module';
import { PATCHED_VERSION } from './timer-patch.js';

/** The part of kafkajs that is a member of a group: made anew at every start of a reader. */
interface ConsumerGroup {
  /** One for all lives of a reader. */
  readonly cluster: object;
  /** Null: it is no member yet, and the group gives it a name. */
  memberId: string | null;
  connect(): Promise<void>;
  joinAndSync(): Promise<void>;
  leave(): Promise<void>;
}

const patched = new WeakSet<object>();
const memberIds = new WeakMap<object, string>();

/**
 * While a broker is away, kafkajs ends a reader and starts it again, as a new member; its group then waits a whole
 * session for the one that it was before. With this it comes back under the name that the group knows, unless it has
 * left; a name that is no longer known is given up by kafkajs itself. And if the group's coordinator is unknown,
 * kafkajs would end the reader for good; with this it tries again, as it does after every other loss of the broker.
 * @returns whether the installed kafkajs is the one that is known
 */
export function keepMembership(): boolean {
  const require = createRequire(import.meta.url);
  const { version } = require('kafkajs/package.json') as { readonly version: string };
  if (version !== PATCHED_VERSION) return false;
  const { prototype } = require('kafkajs/src/consumer/consumerGroup') as { readonly prototype: ConsumerGroup };
  if (patched.has(prototype)) return true;
  patched.add(prototype);
  const { KafkaJSError } = require('kafkajs/src/errors') as { readonly KafkaJSError: new (error: Error) => Error };
  const { connect, joinAndSync, leave } = prototype;
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
  });
  return true;
}
