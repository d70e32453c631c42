export {
  migratePayments,
  startPaymentsService,
  type PaymentsService,
  type PaymentsServiceOptions,
} from './start-payments-service.js';
