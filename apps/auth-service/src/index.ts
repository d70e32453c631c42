export { startAuthService, type AuthService, type AuthServiceParts } from './start-auth-service.js';
