import { SCOPES, type Scope } from '@settle/contracts';
import { Transform } from 'class-transformer';
import { ArrayUnique, IsArray, IsIn, IsString, Length, NotContains } from 'class-validator';

/** The fields of the pages' forms, under the names that the pages give them. */
export class SignInForm {
  @IsString()
  @Length(43, 43)
  form_token: string;

  @IsString()
  @Length(0, 320)
  @NotContains('\0')
  username: string;

  @IsString()
  @Length(0, 1_024)
  password: string;
}

export class SignOutForm {
  @IsString()
  @Length(43, 43)
  form_token: string;
}

export class ConsentForm {
  @IsString()
  @Length(43, 43)
  form_token: string;

  /** Names the consent page that was shown. */
  @IsString()
  @Length(43, 43)
  request: string;

  @IsIn(['allow', 'deny'])
  decision: 'allow' | 'deny';

  /** Those that are ticked: a form sends nothing for none, and a text for one. */
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value : value === undefined ? [] : [value]))
  @IsArray()
  @ArrayUnique()
  @IsIn(SCOPES, { each: true })
  scopes: Scope[] = [];
}
