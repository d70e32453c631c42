export { startUsersService, type UsersService, type UsersServiceOptions } from './start-users-service.js';
export { raiseRecordEpoch } from './announcements/record-epoch.js';
export { USERS_SCHEMA } from './storage/users-schema.js';
