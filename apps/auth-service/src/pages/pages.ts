import { pageTemplate } from './page-template.js';
import { CALLBACK, CONSENT, INVALID_REQUEST, HOME, PROBLEM, SIGN_IN } from './templates.js';

export interface SignInPage {
  readonly appName: string;
  readonly formToken: string;
  readonly query: string;
  /** The login of the previous attempt. */
  readonly login: string;
  readonly isWrong: boolean;
}

export interface ConsentPage {
  readonly appName: string;
  /** The permissions of each requested scope. */
  readonly abilities: readonly { readonly scope: string; readonly description: string }[];
  /** The data that the app always receives, or null for none. */
  readonly alwaysShared: string | null;
  readonly lifetime: string;
  /** The name of the developer. */
  readonly developer: string;
  readonly siteUrl: string;
  /** The host of the redirect URI. */
  readonly redirectHost: string;
  readonly redirectUri: string;
  /** The daily limit in dollars, empty for no limit. Null if the app does not request payments. */
  readonly amountPerDay: string | null;
  readonly username: string;
  readonly formToken: string;
  readonly requestId: string;
  readonly query: string;
}

export interface InvalidRequestPage {
  readonly message: string;
  readonly code: string;
  /** The host of the redirect URI. */
  readonly redirectHost: string;
  /** The redirect URI with the error. */
  readonly href: string;
}

export interface ProblemPage {
  readonly title: string;
  readonly message: string;
  readonly code: string;
}

export interface CallbackPage {
  readonly title: string;
  readonly token: string | null;
  readonly error: string | null;
  readonly publicUrl: string;
  readonly payeeId: string;
  readonly startPath: string;
}

export interface HomePage {
  readonly publicUrl: string;
  readonly hasDevTools: boolean;
}

export const renderSignIn = pageTemplate<SignInPage>(SIGN_IN);
export const renderConsent = pageTemplate<ConsentPage>(CONSENT);
export const renderInvalidRequest = pageTemplate<InvalidRequestPage>(INVALID_REQUEST);
export const renderProblem = pageTemplate<ProblemPage>(PROBLEM);
export const renderCallback = pageTemplate<CallbackPage>(CALLBACK);
export const renderHome = pageTemplate<HomePage>(HOME);
