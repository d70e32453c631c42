import { Type } from 'class-transformer';
import {
  IsInt,
  IsObject,
  Length,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
  buildMessage,
  type ValidationOptions,
} from 'class-validator';
import { isId } from './ids.js';
import type { PayloadClass } from './message.js';
import { IsPlainLine, IsPlainName } from './plain-text.js';

/** Refuses whatever does not have the form of an id. */
export function IsId(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isId',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isId(value),
        defaultMessage: buildMessage((each) => `${each}$property must be an id of 18 or 19 digits`, options),
      },
    },
    options,
  );
}

/** Refuses whatever is not a line of text with as many characters, see `IsPlainLine`. */
export function IsLine(longest: number, shortest = 1): PropertyDecorator {
  return allOf(IsPlainLine(), Length(shortest, longest));
}

/** Refuses whatever is not a name of 1 to `longest` characters, see `IsPlainName`. */
export function IsName(longest: number): PropertyDecorator {
  return allOf(IsPlainName(), Length(1, longest));
}

/** Refuses whatever is not a whole number from 1 to `largest`. */
export function IsPositive(largest: number): PropertyDecorator {
  return allOf(IsInt(), Min(1), Max(largest));
}

/** Refuses whatever is not an object that the validators of its own class accept. */
export function IsNested(dto: () => PayloadClass): PropertyDecorator {
  // ValidateNested alone accepts null and absent values.
  return allOf(IsObject(), ValidateNested(), Type(dto));
}

function allOf(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => decorators.forEach((decorate) => decorate(target, property));
}
