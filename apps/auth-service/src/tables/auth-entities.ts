import { App } from './app.entity.js';
import { Authorization } from './authorization.entity.js';
import { AuthorizationCode } from './authorization-code.entity.js';
import { Code } from './code.entity.js';
import { Consent } from './consent.entity.js';
import { ConsentRequest } from './consent-request.entity.js';
import { Credential } from './credential.entity.js';
import { LoginAddress } from './login-address.entity.js';
import { MailboxMessage } from './mailbox-message.entity.js';
import { PendingAccount } from './pending-account.entity.js';
import { RefreshToken } from './refresh-token.entity.js';
import { Session } from './session.entity.js';
import { SignUp } from './sign-up.entity.js';
import { Token } from './token.entity.js';

/** The rows of auth-service that repositories read and write. */
export const AUTH_ENTITIES = [
  ...[App, Authorization, AuthorizationCode, Code, Consent, ConsentRequest, Credential, LoginAddress, MailboxMessage],
  ...[PendingAccount, RefreshToken, Session, SignUp, Token],
];
