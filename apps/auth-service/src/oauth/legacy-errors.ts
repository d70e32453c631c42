import { SettleError } from '@settle/contracts';
import type { App } from '../tables/app.entity.js';

/** Returns the error, marked for the legacy response format if the app uses it. */
export function toAppError(app: Pick<App, 'legacyAnswers'> | null, error: unknown): unknown {
  if (app?.legacyAnswers !== true || !(error instanceof SettleError)) return error;
  return new SettleError(error.code, error.message, { ...error.details, legacyAnswers: true });
}
