import { App } from './app.entity.js';
import { Code } from './code.entity.js';
import { Credential } from './credential.entity.js';
import { LoginAddress } from './login-address.entity.js';
import { MailboxMessage } from './mailbox-message.entity.js';
import { PendingAccount } from './pending-account.entity.js';
import { Session } from './session.entity.js';
import { SignUp } from './sign-up.entity.js';

/** The rows of auth-service that repositories read and write. */
export const AUTH_ENTITIES = [App, Code, Credential, LoginAddress, MailboxMessage, PendingAccount, Session, SignUp];
