import { SettleError } from '@settle/contracts';
import type { App } from '../tables/app.entity.js';

/** What an app is refused with, marked so that it is answered in the form which the app has chosen. */
export function refusalFor(app: Pick<App, 'legacyAnswers'> | null, error: unknown): unknown {
  if (app?.legacyAnswers !== true || !(error instanceof SettleError)) return error;
  return new SettleError(error.code, error.message, { ...error.details, legacyAnswers: true });
}
