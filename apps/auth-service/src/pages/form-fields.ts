import { applyDecorators } from '@nestjs/common';
import { IsString, Length, NotContains } from 'class-validator';

/** A field of a form that somebody typed, perhaps nothing. */
export function TypedText(longest: number): PropertyDecorator {
  return applyDecorators(IsString(), Length(0, longest), NotContains('\0'));
}

/** A secret of ours that a form carries. */
export function CarriedSecret(): PropertyDecorator {
  return applyDecorators(IsString(), Length(43, 43));
}
