import { randomUUID } from 'node:crypto';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { status, type ServerWritableStream } from '@grpc/grpc-js';
import type { StandInLog } from './stand-in-log.js';
import {
  caughtUpMessage,
  checkpointMessage,
  confirmationMessage,
  eventMessage,
  requestedPosition,
} from './stand-in-messages.js';

const EVENTS_PER_WINDOW = 32;
const TOO_SLOW = 'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.';

/** One subscription to `$all`. It sends existing events, then new ones, as fast as its consumer reads. */
export class StandInSubscriber {
  readonly #prefixes: readonly string[];
  readonly #eventsPerCheckpoint: number;
  #next: number;
  #isCaughtUp = false;
  #isBlocked = false;

  constructor(
    private readonly call: ServerWritableStream<ReadReq, ReadResp>,
    private readonly log: StandInLog,
  ) {
    const options = call.request.getOptions();
    const filter = options?.getFilter();
    this.#prefixes = filter?.getStreamIdentifier()?.getPrefixList() ?? [];
    this.#eventsPerCheckpoint = (filter?.getCheckpointintervalmultiplier() ?? 1) * EVENTS_PER_WINDOW;
    const after = requestedPosition(call.request);
    const first = log.events.findIndex(({ position }) => position > after);
    this.#next = first < 0 ? log.events.length : first;
    this.#write(confirmationMessage(randomUUID()));
    call.on('drain', () => {
      this.#isBlocked = false;
      this.advance();
    });
  }

  /** Sends the next events until the connection is full. */
  advance(): void {
    while (!this.#isBlocked) {
      const event = this.log.events[this.#next];
      if (event === undefined) break;
      this.#next += 1;
      if (this.#prefixes.some((prefix) => event.stream.startsWith(prefix))) this.#write(eventMessage(event, true));
      if (this.#next % this.#eventsPerCheckpoint === 0) this.#write(checkpointMessage(event.position));
    }
    if (this.#isCaughtUp || this.#isBlocked) return;
    this.#isCaughtUp = true;
    this.#write(caughtUpMessage());
  }

  /** Ends the subscription as the server does for slow consumers. */
  drop(): void {
    this.call.emit('error', { code: status.ABORTED, details: TOO_SLOW });
  }

  #write(message: ReadResp): void {
    this.#isBlocked = !this.call.write(message);
  }
}
