import { applyDecorators } from '@nestjs/common';
import { IsPlainLine } from '@settle/contracts';
import { IsIn, IsOptional, IsString, Length, NotContains } from 'class-validator';

/** A text field of one line, possibly empty. */
export function TextField(maxLength: number): PropertyDecorator {
  return applyDecorators(IsString(), Length(0, maxLength), IsPlainLine());
}

/** A text field of several lines, possibly empty. */
export function TextAreaField(maxLength: number): PropertyDecorator {
  return applyDecorators(IsString(), Length(0, maxLength), NotContains('\0'));
}

/** A password, which keeps every character, including leading and trailing spaces. */
export function PasswordField(): PropertyDecorator {
  return applyDecorators(IsString(), Length(0, 1_024), NotContains('\0'));
}

/** The password for reauthentication, absent from the first submission of a form. */
export function OptionalPasswordField(): PropertyDecorator {
  return applyDecorators(IsOptional(), PasswordField());
}

/** A checkbox, absent unless checked. */
export function CheckboxField(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsIn(['yes']));
}

/** A secret of this service in a hidden field. */
export function SecretField(): PropertyDecorator {
  return applyDecorators(IsString(), Length(43, 43));
}
