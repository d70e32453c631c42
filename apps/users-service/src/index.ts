export { startUsersService, type UsersService, type UsersServiceOptions } from './start-users-service.js';
export { RAISE_RECORD_EPOCH, raiseRecordEpoch } from './announcements/record-epoch.js';
export { USERS_SCHEMA } from './storage/users-schema.js';
