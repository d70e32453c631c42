export { startUsersService, type UsersService, type UsersServiceOptions } from './start.js';
