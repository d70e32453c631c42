export { freePort } from '@settle/local-kafka';
export { locateBundledPrograms } from '@settle/postgres';
export { runAtRate, type PacedRun } from './run-at-rate.js';
export { startConnectWorker, type ConnectWorker } from './connect-worker.js';
export { startComposedKafka, type ComposedKafka } from './composed-kafka.js';
export {
  COMPOSE_PASSWORDS,
  readComposition,
  environmentOf,
  serviceOf,
  type ComposedService,
  type Composition,
} from './composition.js';
export { eventually } from './eventually.js';
export { EventLogReader, type LoggedId } from './event-log-reader.js';
export { EventStoreDbStandIn } from './eventstoredb-stand-in.js';
export { readRelatedEvents, type RelatedEvent } from './event-metadata.js';
export { FreezingPath } from './freezing-path.js';
export { freshDatabase, testAdminUrl, type FreshDatabase } from './fresh-database.js';
export { startOtlpCollector, type OtlpCollector, type ReceivedSpan } from './otlp-collector.js';
export { default as startPostgresForSpecs } from './int-setup.js';
export { default as stopPostgresOfSpecs } from './int-teardown.js';
export { programEnvironment } from './program-environment.js';
export { ScriptedSubscriptions, type ScriptedMessage } from './scripted-subscriptions.js';
export {
  startStack,
  type StackOptions,
  type StackProcess,
  type StackState,
  type StackUnderTest,
} from './start-stack.js';
export { schemaErrorsOf } from './valid-events.js';
export { SPEC_DATA_KEY } from './spec-data-key.js';
export { startTidyingKafka } from './tidying-kafka.js';
