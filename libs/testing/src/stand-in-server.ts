import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Server, ServerCredentials, status, type ServerDuplexStream, type ServerWritableStream } from '@grpc/grpc-js';
import type { StandInFaults } from './eventstoredb-stand-in.js';
import type { LoggedEvent, ProposedEvent, StandInLog } from './stand-in-log.js';
import {
  appendResponse,
  eventMessage,
  proposedEventOf,
  requestedPosition,
  streamNameOf,
  streamNotFoundMessage,
  supportedMethods,
  applyOutcome,
  tooLargeError,
  textError,
} from './stand-in-messages.js';
import { StandInSubscriber } from './stand-in-subscriber.js';
import { TimedQueue, responseAtMs } from './stand-in-timing.js';

const MAX_APPEND_BYTES = 1_048_576;
const LIVE_DELAY_MS = 1;
const NOT_READY = 'Server Is Not Ready';

type ReadCall = ServerWritableStream<ReadReq, ReadResp>;
type BatchCall = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** An append whose chunks are arriving. */
interface Arriving {
  readonly first: BatchAppendReq;
  readonly events: ProposedEvent[];
}

/**
 * Serves the calls of the client for appends at an exact revision, reads and subscriptions to `$all`, with
 * the measured behavior of a real server, and with faults on demand.
 */
export class StandInServer {
  readonly #server = new Server();
  readonly #subscribers = new Set<StandInSubscriber>();
  faults: StandInFaults = {};
  appends = 0;
  droppedResponses = 0;
  readsOfAnyNode = 0;
  #appendsInFlight = 0;
  #previousResponseAtMs = 0;
  readonly #responses = new TimedQueue();

  constructor(private readonly log: StandInLog) {
    this.#server.addService(ServerFeaturesService, {
      getSupportedMethods: (_call: unknown, response: (error: null, methods: unknown) => void) =>
        this.#later(() => response(null, supportedMethods())),
    });
    this.#server.addService(StreamsService, {
      read: (call: ReadCall) => this.#later(() => this.#read(call)),
      batchAppend: (call: BatchCall) => this.#takeAppends(call),
    });
  }

  /** Returns the port on which the server listens. */
  listen(port: number): Promise<number> {
    return listenLocally(this.#server, port);
  }

  get subscribers(): number {
    return this.#subscribers.size;
  }

  dropSubscribers(): void {
    for (const subscriber of this.#subscribers) subscriber.drop();
  }

  #later(act: () => void): void {
    const { delayMs = 0 } = this.faults;
    if (delayMs === 0) act();
    else setTimeout(act, delayMs);
  }

  /** Appends at once, or when a real server would respond. */
  #schedule(append: () => void): void {
    if (this.faults.isServerTimed !== true) return append();
    this.#appendsInFlight += 1;
    const nowMs = performance.now();
    this.#previousResponseAtMs = responseAtMs(nowMs, this.#appendsInFlight, this.#previousResponseAtMs);
    this.#responses.add(this.#previousResponseAtMs, () => {
      this.#appendsInFlight -= 1;
      append();
    });
  }

  #advanceSubscribers(): void {
    for (const subscriber of this.#subscribers) subscriber.advance();
  }

  #takeAppends(call: BatchCall): void {
    const arriving = new Map<string, Arriving>();
    call.on('data', (request: BatchAppendReq) => {
      const id = request.getCorrelationId()?.getString() ?? '';
      const append = arriving.get(id) ?? { first: request, events: [] };
      arriving.set(id, append);
      append.events.push(...request.getProposedMessagesList().map(proposedEventOf));
      if (!request.getIsFinal()) return;
      arriving.delete(id);
      this.#later(() => this.#schedule(() => this.#append(call, append)));
    });
    call.on('end', () => call.end());
    call.on('error', () => undefined);
  }

  #append(call: BatchCall, { first, events }: Arriving): void {
    const { silentStream } = this.faults;
    const isSilent = silentStream?.name === streamNameOf(first.getOptions()?.getStreamIdentifier());
    if (isSilent && silentStream?.isStored === false) return;
    this.appends += 1;
    const response = this.#store(first, events);
    if (isSilent) return this.#advanceSubscribers();
    if (response.hasSuccess() && this.droppedResponses < (this.faults.responsesToDrop ?? 0)) this.droppedResponses += 1;
    else if (!call.cancelled) call.write(response);
    if (this.faults.isServerTimed === true) setTimeout(() => this.#advanceSubscribers(), LIVE_DELAY_MS);
    else this.#advanceSubscribers();
  }

  #store(first: BatchAppendReq, events: readonly ProposedEvent[]): BatchAppendResp {
    const response = appendResponse(first);
    if (this.faults.notReady === true) return textError(response, NOT_READY);
    const options = first.getOptions();
    const isExact = options?.hasStreamPosition() === true || options?.hasNoStream() === true;
    if (!isExact || events.some(({ id, type }) => id === '' || type === '')) return textError(response, 'BadRequest');
    const bytes = events.reduce((sum, { data }) => sum + data.length, 0);
    if (bytes > MAX_APPEND_BYTES) return tooLargeError(response, MAX_APPEND_BYTES);
    const expectedRevision = options.hasNoStream() ? -1 : Number(options.getStreamPosition());
    return applyOutcome(
      response,
      this.log.append(streamNameOf(options.getStreamIdentifier()), expectedRevision, events),
    );
  }

  #read(call: ReadCall): void {
    const options = call.request.getOptions();
    if (this.faults.notReady === true) {
      call.emit('error', { code: status.UNAVAILABLE, details: NOT_READY });
    } else if (options?.hasSubscription() === true) {
      this.#subscribe(call);
    } else {
      if (call.metadata.get('requires-leader')[0] !== 'true') this.readsOfAnyNode += 1;
      const withPosition = options?.hasAll() === true || this.faults.noPositions !== true;
      const name = streamNameOf(options?.getStream()?.getStreamIdentifier());
      const events = options?.hasAll() === true ? this.log.events : this.log.stream(name);
      if (events === undefined) call.write(streamNotFoundMessage(name));
      for (const event of wanted(events ?? [], call.request)) call.write(eventMessage(event, withPosition));
      call.end();
    }
  }

  #subscribe(call: ReadCall): void {
    const subscriber = new StandInSubscriber(call, this.log);
    this.#subscribers.add(subscriber);
    const forget = () => this.#subscribers.delete(subscriber);
    call.on('cancelled', forget);
    call.on('close', forget);
    call.on('error', forget);
    subscriber.advance();
  }
}

/** Returns the port on which the server listens. */
export function listenLocally(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
}

/** Returns the events that a read requests. Streams are read by revision, `$all` forwards by position and backwards from its end. */
function wanted(events: readonly LoggedEvent[], request: ReadReq): readonly LoggedEvent[] {
  const options = request.getOptions();
  const stream = options?.getStream();
  const count = Number(options?.getCount() ?? 0);
  const from = stream?.hasRevision() === true ? Number(stream.getRevision()) : null;
  if (options?.getReadDirection() === 0) {
    const first = from ?? findPosition(events, requestedPosition(request));
    return events.slice(first, first + count);
  }
  return events
    .slice(0, (from ?? events.length) + 1)
    .reverse()
    .slice(0, count);
}

/** Returns the index of the first event at a position or after it. */
function findPosition(events: readonly LoggedEvent[], atLeast: number): number {
  const index = events.findIndex(({ position }) => position >= atLeast);
  return index < 0 ? events.length : index;
}
