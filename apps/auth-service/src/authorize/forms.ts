import { SCOPES, type Scope } from '@settle/contracts';
import { Transform } from 'class-transformer';
import { ArrayUnique, IsArray, IsIn, IsOptional } from 'class-validator';
import { MAX_AMOUNT_LENGTH } from '../spending-limits/amount-per-day.js';
import { SecretField, PasswordField, TextField } from '../pages/form-fields.js';

// Field names are those of the HTML inputs.

export class SignInForm {
  @SecretField()
  form_token: string;

  @TextField(320)
  username: string;

  @PasswordField()
  password: string;
}

export class SignOutForm {
  @SecretField()
  form_token: string;
}

export class ConsentForm {
  @SecretField()
  form_token: string;

  /** The id of the pending consent. */
  @SecretField()
  request: string;

  @IsIn(['allow', 'deny'])
  decision: 'allow' | 'deny';

  /** The selected scopes. A form sends no field for none and a string for one. */
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value : value === undefined ? [] : [value]))
  @IsArray()
  @ArrayUnique()
  @IsIn(SCOPES, { each: true })
  scopes: Scope[] = [];

  /** In dollars. Empty means no limit; undefined keeps the current limit. */
  @IsOptional()
  @TextField(MAX_AMOUNT_LENGTH)
  amount_per_day?: string;
}
