export { AUTH_SCHEMA } from './tables/auth-schema.js';
export { startAuthService, type AuthService, type AuthServiceOptions } from './start-auth-service.js';
