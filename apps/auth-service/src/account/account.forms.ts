import { AUDIENCES, FRIEND_ACTIONS, SettleError, type AddressKind } from '@settle/contracts';
import { checkbox, form, oneOf, optional, password, text, textArea } from '../http/form.js';
import { MAX_AMOUNT_LENGTH } from '../spending-limits/amount-per-day.js';

export const ProfileForm = form({
  first_name: text(200),
  last_name: text(200),
  about: textArea(2_000),
  default_audience: oneOf(AUDIENCES),
});

export const AddressForm = form({ address: text(320), current_password: password });

export const PasswordForm = form({ current_password: password, password, end_apps: checkbox });

export const AccountSignInForm = form({ return_to: text(8_000), username: text(320), password });

export const PasswordResetForm = form({ email: text(320) });

export const NewPasswordForm = form({ code: text(32), password });

export const FriendRequestForm = form({ username: text(200) });

export const FriendActionForm = form({
  action: oneOf(FRIEND_ACTIONS),
  /** The limit for `trust` in dollars. Empty removes the limit; undefined keeps it. */
  amount_per_day: optional(text(MAX_AMOUNT_LENGTH)),
  current_password: optional(password),
});

export const CardForm = form({ card_number: text(100), expiry: text(20), security_code: text(20) });

/** Returns the address kind that a path segment names. Throws `resource_not_found` for any other segment. */
export function parseAddressKind(kind: string): AddressKind {
  if (kind === 'email' || kind === 'phone') return kind;
  throw new SettleError('resource_not_found', "We couldn't find that page.");
}
