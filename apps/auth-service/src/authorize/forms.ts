import { SCOPES } from '@settle/contracts';
import { form, oneOf, optional, password, secret, someOf, text } from '../http/form.js';
import { MAX_AMOUNT_LENGTH } from '../spending-limits/amount-per-day.js';

export const SignInForm = form({ username: text(320), password });

export const ConsentForm = form({
  /** The id of the pending consent. */
  request: secret,
  decision: oneOf(['allow', 'deny']),
  scopes: someOf(SCOPES),
  /** In dollars. Empty means no limit; undefined keeps the current limit. */
  amount_per_day: optional(text(MAX_AMOUNT_LENGTH)),
});
