import { randomUUID } from 'node:crypto';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Server, status, type ServerWritableStream } from '@grpc/grpc-js';
import { checkpointMessage, confirmationMessage, eventMessage, positionAskedFor } from './stand-in-messages.js';
import { listenLocally } from './stand-in-server.js';

/** One message to a subscription; a checkpoint may name any place. */
export interface ScriptedMessage {
  readonly kind: 'event' | 'checkpoint';
  readonly position: number;
}

/**
 * An EventStoreDB in this process that only has subscriptions to `$all`, and sends them what a spec says to the message.
 * Its events are all of one stream, and hold their position as `number`.
 */
export class ScriptedSubscriptions {
  /** The position after which each subscription asked to begin since the script was given; -1: from the start. */
  readonly asked: number[] = [];
  readonly #server = new Server();
  #script: readonly ScriptedMessage[] = [];
  #endAfter = 0;
  #lost = Promise.resolve();

  private constructor(private readonly stream: string) {
    this.#server.addService(StreamsService, {
      read: (call: ServerWritableStream<ReadReq, ReadResp>) => this.#send(call),
    });
  }

  /** Gives the server and its address. */
  static async start(stream: string): Promise<{ server: ScriptedSubscriptions; url: string }> {
    const server = new ScriptedSubscriptions(stream);
    const port = await listenLocally(server.#server, 0);
    return { server, url: `esdb://127.0.0.1:${port}?tls=false` };
  }

  /**
   * From now on each subscription is sent what comes behind its place. The first is sent so many messages of it, and
   * ends with `lost`.
   */
  play(script: readonly ScriptedMessage[], endAfter: number, lost = Promise.resolve()): void {
    this.#script = script;
    this.#endAfter = endAfter;
    this.#lost = lost;
    this.asked.length = 0;
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  #send(call: ServerWritableStream<ReadReq, ReadResp>): void {
    call.on('error', () => undefined);
    const after = positionAskedFor(call.request);
    this.asked.push(after);
    const isFirst = this.asked.length === 1;
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
