export { PAYMENTS_SCHEMA } from './payments-schema.js';
export { raisePublicEventEpoch } from './public-events/public-event-epoch.js';
export { startPaymentsService, type PaymentsService, type PaymentsServiceOptions } from './start-payments-service.js';
