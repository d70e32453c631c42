import {
  AUDIENCES,
  FRIEND_ACTIONS,
  SettleError,
  type AddressKind,
  type Audience,
  type FriendAction,
} from '@settle/contracts';
import { IsIn, IsOptional } from 'class-validator';
import { LONGEST_AMOUNT } from '../app-amounts/typed-amount.js';
import {
  CarriedSecret,
  CheckBox,
  PasswordTypedAgain,
  TypedLines,
  TypedPassword,
  TypedText,
} from '../pages/form-fields.js';

/** The fields of the pages of an account, under the names that the pages give them. */
export class ProfileForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(200)
  first_name: string;

  @TypedText(200)
  last_name: string;

  @TypedLines(2_000)
  about: string;

  @IsIn(AUDIENCES)
  default_audience: Audience;
}

export class AddressForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(320)
  address: string;

  @TypedPassword()
  current_password: string;
}

export class PasswordForm {
  @CarriedSecret()
  form_token: string;

  @TypedPassword()
  current_password: string;

  @TypedPassword()
  password: string;

  @CheckBox()
  end_apps?: 'yes';
}

export class SignInAgainForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(8_000)
  return_to: string;

  @TypedText(320)
  username: string;

  @TypedPassword()
  password: string;
}

export class ResetForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(320)
  email: string;
}

export class NewPasswordForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(32)
  code: string;

  @TypedPassword()
  password: string;
}

export class AskFriendForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(200)
  username: string;
}

export class FriendForm {
  @CarriedSecret()
  form_token: string;

  @IsIn(FRIEND_ACTIONS)
  action: FriendAction;

  /** With `trust`: dollars; empty: no limit. Absent: it stays as it is. */
  @IsOptional()
  @TypedText(LONGEST_AMOUNT)
  amount_per_day?: string;

  @PasswordTypedAgain()
  current_password?: string;
}

export class CardForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(100)
  card_number: string;

  @TypedText(20)
  expiry: string;

  @TypedText(20)
  security_code: string;
}

export class RemoveCardForm {
  @CarriedSecret()
  form_token: string;

  @PasswordTypedAgain()
  current_password?: string;
}

/** The kind of address that a part of a path names. Error: `resource_not_found` for a path that names none. */
export function checkedKind(kind: string): AddressKind {
  if (kind === 'email' || kind === 'phone') return kind;
  throw new SettleError('resource_not_found', 'There is nothing under this address.');
}
