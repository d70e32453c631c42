import { randomUUID } from 'node:crypto';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Server, status, type ServerWritableStream } from '@grpc/grpc-js';
import { checkpointMessage, confirmationMessage, eventMessage, requestedPosition } from './stand-in-messages.js';
import { listenLocally } from './stand-in-server.js';

/** One message to a subscription; a checkpoint may name any position. */
export interface ScriptedMessage {
  readonly kind: 'event' | 'checkpoint';
  readonly position: number;
}

/**
 * An EventStoreDB in this process with subscriptions to `$all` alone, which sends exactly the messages of a spec.
 * All its events are of one stream and contain their position as `number`.
 */
export class ScriptedSubscriptions {
  /** The start position of each subscription since the script was set; -1 for the beginning. */
  readonly requestedPositions: number[] = [];
  readonly #server = new Server();
  #script: readonly ScriptedMessage[] = [];
  #endAfter = 0;
  #lost = Promise.resolve();

  private constructor(private readonly stream: string) {
    this.#server.addService(StreamsService, {
      read: (call: ServerWritableStream<ReadReq, ReadResp>) => this.#send(call),
    });
  }

  /** Returns the server and its address. */
  static async start(stream: string): Promise<{ server: ScriptedSubscriptions; url: string }> {
    const server = new ScriptedSubscriptions(stream);
    const port = await listenLocally(server.#server, 0);
    return { server, url: `esdb://127.0.0.1:${port}?tls=false` };
  }

  /**
   * Sets the messages. Each subscription is sent those after its position. The first one is sent so many messages and
   * ends with `lost`.
   */
  play(script: readonly ScriptedMessage[], endAfter: number, lost = Promise.resolve()): void {
    this.#script = script;
    this.#endAfter = endAfter;
    this.#lost = lost;
    this.requestedPositions.length = 0;
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  #send(call: ServerWritableStream<ReadReq, ReadResp>): void {
    call.on('error', () => undefined);
    const after = requestedPosition(call.request);
    this.requestedPositions.push(after);
    const isFirst = this.requestedPositions.length === 1;
    const messages = this.#script.filter(({ position }) => position > after);
    call.write(confirmationMessage(randomUUID()));
    for (const message of isFirst ? messages.slice(0, this.#endAfter) : messages) call.write(this.#responseOf(message));
    if (!isFirst) return;
    const lose = () => call.emit('error', { code: status.UNAVAILABLE, details: 'the connection is lost' });
    void this.#lost.then(lose);
  }

  #responseOf({ kind, position }: ScriptedMessage): ReadResp {
    if (kind === 'checkpoint') return checkpointMessage(position);
    const revision = this.#script.filter((earlier) => earlier.kind === 'event' && earlier.position < position).length;
    const data = Buffer.from(JSON.stringify({ number: position }));
    const written = { id: randomUUID(), type: 'Counted', contentType: 'application/json', metadata: Buffer.from('{}') };
    return eventMessage({ ...written, data, stream: this.stream, revision, position }, true);
  }
}
