import {
  AUDIENCES,
  FRIEND_ACTIONS,
  SettleError,
  type AddressKind,
  type Audience,
  type FriendAction,
} from '@settle/contracts';
import { IsIn, IsOptional } from 'class-validator';
import { MAX_AMOUNT_LENGTH } from '../spending-limits/amount-per-day.js';
import {
  SecretField,
  CheckboxField,
  OptionalPasswordField,
  TextAreaField,
  PasswordField,
  TextField,
} from '../pages/form-fields.js';

// The forms of the account pages. Field names are those of the HTML inputs.

export class ProfileForm {
  @SecretField()
  form_token: string;

  @TextField(200)
  first_name: string;

  @TextField(200)
  last_name: string;

  @TextAreaField(2_000)
  about: string;

  @IsIn(AUDIENCES)
  default_audience: Audience;
}

export class AddressForm {
  @SecretField()
  form_token: string;

  @TextField(320)
  address: string;

  @PasswordField()
  current_password: string;
}

export class PasswordForm {
  @SecretField()
  form_token: string;

  @PasswordField()
  current_password: string;

  @PasswordField()
  password: string;

  @CheckboxField()
  end_apps?: 'yes';
}

export class AccountSignInForm {
  @SecretField()
  form_token: string;

  @TextField(8_000)
  return_to: string;

  @TextField(320)
  username: string;

  @PasswordField()
  password: string;
}

export class PasswordResetForm {
  @SecretField()
  form_token: string;

  @TextField(320)
  email: string;
}

export class NewPasswordForm {
  @SecretField()
  form_token: string;

  @TextField(32)
  code: string;

  @PasswordField()
  password: string;
}

export class FriendRequestForm {
  @SecretField()
  form_token: string;

  @TextField(200)
  username: string;
}

export class FriendActionForm {
  @SecretField()
  form_token: string;

  @IsIn(FRIEND_ACTIONS)
  action: FriendAction;

  /** The limit for `trust` in dollars. Empty removes the limit; undefined keeps it. */
  @IsOptional()
  @TextField(MAX_AMOUNT_LENGTH)
  amount_per_day?: string;

  @OptionalPasswordField()
  current_password?: string;
}

export class CardForm {
  @SecretField()
  form_token: string;

  @TextField(100)
  card_number: string;

  @TextField(20)
  expiry: string;

  @TextField(20)
  security_code: string;
}

export class RemoveCardForm {
  @SecretField()
  form_token: string;

  @OptionalPasswordField()
  current_password?: string;
}

/** Returns the address kind that a path segment names. Throws `resource_not_found` for any other segment. */
export function parseAddressKind(kind: string): AddressKind {
  if (kind === 'email' || kind === 'phone') return kind;
  throw new SettleError('resource_not_found', "We couldn't find that page.");
}
