import serverFeatures from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { AppendOutcome, LoggedEvent, ProposedEvent } from './stand-in-log.js';

/** The value with which servers before 23.10 mark a missing position in events of a stream. */
const NO_POSITION = '18446744073709551615';

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');

function streamIdentifier(name: string) {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Uint8Array.from(Buffer.from(name, 'utf8')));
  return identifier;
}

export function streamNameOf(identifier: { getStreamName_asU8(): Uint8Array } | undefined): string {
  return identifier === undefined ? '' : textOf(identifier.getStreamName_asU8());
}

/** Returns the position of `$all` at which a read begins, or after which a subscription does; -1 for the start. */
export function requestedPosition(request: ReadReq): number {
  return Number(request.getOptions()?.getAll()?.getPosition()?.getCommitPosition() ?? -1);
}

export function proposedEventOf(message: BatchAppendReq.ProposedMessage): ProposedEvent {
  const metadata = message.getMetadataMap();
  return {
    id: message.getId()?.getString() ?? '',
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? '',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** @param withPosition false for reads of a stream from servers before 23.10 */
export function eventMessage(event: LoggedEvent, withPosition: boolean): ReadResp {
  const id = new shared.UUID();
  id.setString(event.id);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(id);
  recorded.setStreamIdentifier(streamIdentifier(event.stream));
  recorded.setStreamRevision(String(event.revision));
  recorded.setCommitPosition(withPosition ? String(event.position) : NO_POSITION);
  recorded.setPreparePosition(withPosition ? String(event.position) : NO_POSITION);
  recorded.getMetadataMap().set('type', event.type).set('content-type', event.contentType).set('created', '0');
  recorded.setData(event.data);
  recorded.setCustomMetadata(event.metadata);
  const read = new streams.ReadResp.ReadEvent();
  read.setEvent(recorded);
  if (withPosition) read.setCommitPosition(String(event.position));
  const response = new streams.ReadResp();
  response.setEvent(read);
  return response;
}

export function streamNotFoundMessage(stream: string): ReadResp {
  const notFound = new streams.ReadResp.StreamNotFound();
  notFound.setStreamIdentifier(streamIdentifier(stream));
  const response = new streams.ReadResp();
  response.setStreamNotFound(notFound);
  return response;
}

export function confirmationMessage(subscriptionId: string): ReadResp {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  confirmation.setSubscriptionId(subscriptionId);
  const response = new streams.ReadResp();
  response.setConfirmation(confirmation);
  return response;
}

export function checkpointMessage(position: number): ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(position));
  checkpoint.setPreparePosition(String(position));
  const response = new streams.ReadResp();
  response.setCheckpoint(checkpoint);
  return response;
}

export function caughtUpMessage(): ReadResp {
  const response = new streams.ReadResp();
  response.setCaughtUp(new streams.ReadResp.CaughtUp());
  return response;
}

/** Returns the response to the append that `request` began. */
export function appendResponse(request: BatchAppendReq): BatchAppendResp {
  const response = new streams.BatchAppendResp();
  response.setCorrelationId(request.getCorrelationId());
  response.setStreamIdentifier(request.getOptions()?.getStreamIdentifier());
  return response;
}

export function applyOutcome(response: BatchAppendResp, outcome: AppendOutcome): BatchAppendResp {
  if (outcome.kind === 'wrong-version') {
    const wrong = new shared.WrongExpectedVersion();
    if (outcome.currentRevision < 0) wrong.setCurrentNoStream(new empty.Empty());
    else wrong.setCurrentStreamRevision(String(outcome.currentRevision));
    return takeError(response, { message: 'WrongExpectedVersion', type: 'WrongExpectedVersion', details: wrong });
  }
  const position = new shared.AllStreamPosition();
  position.setCommitPosition(String(outcome.position));
  position.setPreparePosition(String(outcome.position));
  const success = new streams.BatchAppendResp.Success();
  success.setCurrentRevision(String(outcome.revision));
  success.setPosition(position);
  response.setSuccess(success);
  return response;
}

export function tooLargeError(response: BatchAppendResp, maxBytes: number): BatchAppendResp {
  const details = new shared.MaximumAppendSizeExceeded();
  details.setMaxappendsize(maxBytes);
  return takeError(response, {
    message: 'Maximum Append Size Exceeded',
    type: 'MaximumAppendSizeExceeded',
    details,
  });
}

/** Returns an error with a text alone, which the server sends for requests that it does not understand or accept yet. */
export function textError(response: BatchAppendResp, message: string): BatchAppendResp {
  return takeError(response, { message, type: 'BadRequest', details: new shared.Empty() });
}

interface BatchError {
  readonly message: string;
  readonly type: string;
  readonly details: { serializeBinary(): Uint8Array };
}

function takeError(response: BatchAppendResp, { message, type, details }: BatchError): BatchAppendResp {
  const packed = new any.Any();
  packed.pack(details.serializeBinary(), `event_store.client.${type}`);
  const error = new status.Status();
  error.setMessage(message);
  error.setDetails(packed);
  response.setError(error);
  return response;
}

export function supportedMethods(): SupportedMethods {
  const batchAppend = new serverFeatures.SupportedMethod();
  batchAppend.setServiceName('event_store.client.streams.streams');
  batchAppend.setMethodName('batchappend');
  const methods = new serverFeatures.SupportedMethods();
  methods.setEventStoreServerVersion('23.10.0');
  methods.addMethods(batchAppend);
  return methods;
}
