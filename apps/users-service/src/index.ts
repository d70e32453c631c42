export { startUsersService, type UsersService, type UsersServiceOptions } from './start-users-service.js';
export { RAISE_RECORD_EPOCH, raiseRecordEpoch } from './record-epoch.js';
export { USERS_SCHEMA } from './users-schema.js';
