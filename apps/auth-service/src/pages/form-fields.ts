import { applyDecorators } from '@nestjs/common';
import { IsPlainLine } from '@settle/contracts';
import { IsIn, IsOptional, IsString, Length, NotContains } from 'class-validator';

/** A field of one line that a person typed, perhaps nothing. */
export function TypedText(longest: number): PropertyDecorator {
  return applyDecorators(IsString(), Length(0, longest), IsPlainLine());
}

/** A field of several lines. */
export function TypedLines(longest: number): PropertyDecorator {
  return applyDecorators(IsString(), Length(0, longest), NotContains('\0'));
}

/** A password: every character that it was chosen with counts. */
export function TypedPassword(): PropertyDecorator {
  return applyDecorators(IsString(), Length(0, 1_024), NotContains('\0'));
}

/** The password where it is asked for again; absent in the form as it was first sent. */
export function PasswordTypedAgain(): PropertyDecorator {
  return applyDecorators(IsOptional(), TypedPassword());
}

/** A check box: absent unless it is ticked. */
export function CheckBox(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsIn(['yes']));
}

/** A secret of ours that a form carries. */
export function CarriedSecret(): PropertyDecorator {
  return applyDecorators(IsString(), Length(43, 43));
}
