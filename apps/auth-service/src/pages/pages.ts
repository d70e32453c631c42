import { Eta } from 'eta';
import { CALLBACK, CONSENT, LAYOUT, PROBLEM, SIGN_IN } from './templates.js';

const eta = new Eta({ autoEscape: true, cache: true });
eta.loadTemplate('@layout', LAYOUT);
eta.loadTemplate('@sign-in', SIGN_IN);
eta.loadTemplate('@consent', CONSENT);
eta.loadTemplate('@problem', PROBLEM);
eta.loadTemplate('@callback', CALLBACK);

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
  readonly abilities: readonly string[];
  readonly lifetime: string;
  readonly leadsTo: string;
  readonly username: string;
  readonly formToken: string;
  readonly requestId: string;
  readonly query: string;
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

/** The pages as HTML. Everything that is put into them is escaped. */
export const renderSignIn = (page: SignInPage): string => eta.render('@sign-in', page);
export const renderConsent = (page: ConsentPage): string => eta.render('@consent', page);
export const renderProblem = (page: ProblemPage): string => eta.render('@problem', page);
export const renderCallback = (page: CallbackPage): string => eta.render('@callback', page);
