export { requestToken, type TokenRequest } from './sign-in-flow.js';
