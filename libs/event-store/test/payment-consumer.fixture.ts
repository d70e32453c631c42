import {
  EventStoreDBClient,
  PARK,
  PersistentSubscriptionExistsError,
  START,
  persistentSubscriptionToStreamSettingsFromDefaults,
  type PersistentSubscriptionToStream,
  type RecordedEvent,
  type ResolvedEvent,
} from '@eventstore/db-client';

/** Returns whether the consumer goes on. */
type HandlePayment = (event: RecordedEvent) => Promise<boolean>;

const PAYMENTS = '$ce-payment';

/**
 * Example of a consumer: hands every event of the payments to `handle`, at least once and not always in order, until
 * `handle` returns false. What it cannot handle is parked on the server. Consumers of one group share the work.
 */
export async function consumePayments(url: string, group: string, handle: HandlePayment): Promise<void> {
  const client = EventStoreDBClient.connectionString(url);
  const settings = persistentSubscriptionToStreamSettingsFromDefaults({ resolveLinkTos: true, startFrom: START });
  try {
    await client.createPersistentSubscriptionToStream(PAYMENTS, group, settings);
  } catch (error) {
    if (!(error instanceof PersistentSubscriptionExistsError)) throw error;
  }
  const subscription = client.subscribeToPersistentSubscriptionToStream(PAYMENTS, group);
  try {
    for await (const resolved of subscription) {
      // Not `break`: it would leave the call open.
      if (!(await handleOne(subscription, resolved, handle))) await subscription.unsubscribe();
    }
  } finally {
    await client.dispose();
  }
}

async function handleOne(
  subscription: PersistentSubscriptionToStream,
  resolved: ResolvedEvent,
  handle: HandlePayment,
): Promise<boolean> {
  try {
    const goesOn = resolved.event === undefined || (await handle(resolved.event));
    await subscription.ack(resolved);
    return goesOn;
  } catch (error) {
    await subscription.nack(PARK, String(error), resolved);
    return true;
  }
}
