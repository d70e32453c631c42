/** The services and their bus: a module of their own, so that they are loaded while PostgreSQL starts. */
export { startApiGateway } from '@settle/api-gateway';
export { AUTH_SCHEMA, startAuthService } from '@settle/auth-service';
export { InMemoryBus } from '@settle/messaging';
export { PAYMENTS_SCHEMA, startPaymentsService } from '@settle/payments-service';
export { USERS_SCHEMA, startUsersService } from '@settle/users-service';
