import { SCOPES, type Scope } from '@settle/contracts';
import { Transform } from 'class-transformer';
import { ArrayUnique, IsArray, IsIn, IsOptional } from 'class-validator';
import { LONGEST_AMOUNT } from '../app-amounts/typed-amount.js';
import { CarriedSecret, TypedPassword, TypedText } from '../pages/form-fields.js';

/** The fields of the pages' forms, under the names that the pages give them. */
export class SignInForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(320)
  username: string;

  @TypedPassword()
  password: string;
}

export class SignOutForm {
  @CarriedSecret()
  form_token: string;
}

export class ConsentForm {
  @CarriedSecret()
  form_token: string;

  /** Names the consent page that was shown. */
  @CarriedSecret()
  request: string;

  @IsIn(['allow', 'deny'])
  decision: 'allow' | 'deny';

  /** Those that are ticked: a form sends nothing for none, and a text for one. */
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value : value === undefined ? [] : [value]))
  @IsArray()
  @ArrayUnique()
  @IsIn(SCOPES, { each: true })
  scopes: Scope[] = [];

  /** Dollars; empty: no limit. Absent where the page did not ask for it: it stays as it is. */
  @IsOptional()
  @TypedText(LONGEST_AMOUNT)
  amount_per_day?: string;
}
