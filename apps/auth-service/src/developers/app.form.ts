import { IsIn, IsOptional } from 'class-validator';
import { CarriedSecret, TypedText } from '../pages/form-fields.js';

/** Fields of the pages of developers, under the names that the pages give them. */
export class AppForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(500)
  name: string;

  @TypedText(2_000)
  description: string;

  @TypedText(4_000)
  redirect_url: string;

  @TypedText(12_000)
  more_redirect_urls: string;

  @TypedText(4_000)
  site_url: string;

  /** A box without a tick sends nothing. */
  @IsOptional()
  @IsIn(['yes'])
  builds_addresses?: string;

  @IsOptional()
  @IsIn(['yes'])
  codes_only?: string;
}

/** A button alone. */
export class AppButtonForm {
  @CarriedSecret()
  form_token: string;
}
