import { ValidateBy, buildMessage, type ValidationOptions } from 'class-validator';
import { isId } from './ids.js';

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
