export { startAuthService, type AuthService, type AuthServiceOptions } from './start-auth-service.js';
