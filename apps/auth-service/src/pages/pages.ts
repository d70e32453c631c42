import { pageTemplate } from './page-template.js';
import { CALLBACK, CONSENT, FAULTY_REQUEST, HOME, PROBLEM, SIGN_IN } from './templates.js';

export interface SignInPage {
  readonly appName: string;
  readonly formToken: string;
  readonly query: string;
  /** What was typed before. */
  readonly login: string;
  readonly isWrong: boolean;
}

export interface ConsentPage {
  readonly appName: string;
  /** What the app will be able to do, in words. */
  readonly abilities: readonly { readonly scope: string; readonly words: string }[];
  /** What the app receives whatever is ticked; null: nothing. */
  readonly alwaysShared: string | null;
  readonly lifetime: string;
  /** The name of whoever registered the app. */
  readonly developer: string;
  readonly siteUrl: string;
  /** The host of the redirect address. */
  readonly returnsTo: string;
  readonly leadsTo: string;
  /** What the app may move within a day, dollars, empty for no limit; null: it asks for no payments. */
  readonly amountPerDay: string | null;
  readonly username: string;
  readonly formToken: string;
  readonly requestId: string;
  readonly query: string;
}

export interface FaultyRequestPage {
  readonly message: string;
  readonly code: string;
  /** The host of the app's address. */
  readonly returnsTo: string;
  /** The app's address with the error. */
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

/** The pages as HTML. Everything that is put into them is escaped. */
export const renderSignIn = pageTemplate<SignInPage>(SIGN_IN);
export const renderConsent = pageTemplate<ConsentPage>(CONSENT);
export const renderFaultyRequest = pageTemplate<FaultyRequestPage>(FAULTY_REQUEST);
export const renderProblem = pageTemplate<ProblemPage>(PROBLEM);
export const renderCallback = pageTemplate<CallbackPage>(CALLBACK);
export const renderHome = pageTemplate<HomePage>(HOME);
