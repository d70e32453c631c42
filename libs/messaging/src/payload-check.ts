import { compileValidators } from '@settle/contracts';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';

export type DtoClass = new () => object;

/** Returns null for a valid payload; otherwise a sentence that names the problem without repeating values. */
export type PayloadCheck = (payload: object) => string | null;

/** Returns the check that a class-validator DTO defines. Properties that it does not name are ignored. */
export function dtoCheck(dto: DtoClass): PayloadCheck {
  const isValid = compileValidators(dto);
  return (payload) => {
    if (isValid(payload)) return null;
    const errors = validateSync(plainToInstance(dto, payload), {
      forbidUnknownValues: true,
      stopAtFirstError: true,
      validationError: { target: false, value: false },
    });
    if (errors.length === 0) return null;
    return sentences(errors).join('; ') || 'The payload does not have the form of its contract.';
  };
}

function sentences(errors: readonly ValidationError[], path = ''): string[] {
  return errors.flatMap((error) => {
    const place = `${path}${error.property}`;
    const own = Object.values(error.constraints ?? {}).map((text) => (path === '' ? text : `${place}: ${text}`));
    return [...own, ...sentences(error.children ?? [], `${place}.`)];
  });
}
