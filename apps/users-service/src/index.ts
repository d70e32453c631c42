export { startUsersService, type UsersService, type UsersServiceOptions } from './start-users-service.js';
