import { SettleError, type ErrorCode } from '@settle/contracts';
import { getMetadataStorage, registerDecorator, validateSync, type ValidationArguments } from 'class-validator';
import { isBlank, missingParameter, type ParameterRule } from './parameter-rules.js';
import type { RequestParameters } from './request-parameters.js';

/** Checks a value for one decorator: returns the error, or null. `dto` has all parameters. */
export type Check = (value: unknown, name: string, dto: object) => SettleError | null;

/** Makes a decorator for class-validator. Its constraint has the name of the catalogue's code, to preserve the code. */
export function Refuses(code: ErrorCode, check: Check): PropertyDecorator {
  const run = (args: ValidationArguments): SettleError | null => check(args.value, args.property, args.object);
  return (target, property) =>
    registerDecorator({
      name: code,
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (_value, args) => args === undefined || run(args) === null,
        defaultMessage: (args) => (args === undefined ? '' : (run(args)?.message ?? '')),
      },
    });
}

/** The parameter must be present and not empty. */
export function Required(): PropertyDecorator {
  return Refuses('missing_parameter', (value, name) => (isBlank(value) ? missingParameter(name) : null));
}

/** The rule must be able to read the parameter. */
export function Follows(code: ErrorCode, rule: ParameterRule<unknown>): PropertyDecorator {
  return Refuses(code, (value, name) => refusalOf(() => rule(value, name)));
}

/** Returns the catalogue's error that `read` throws; null if it throws none. */
export function refusalOf(read: () => unknown): SettleError | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof SettleError) return error;
    throw error;
  }
}

/**
 * Fills the DTO with the parameters that it declares and validates it. Other parameters are ignored; an empty one
 * counts as absent.
 * Errors: the first error in the order of the DTO's fields; an absent parameter comes before an unreadable one.
 */
export function checked<Dto extends object>(dto: Dto, parameters: RequestParameters): Dto {
  const fields = dto as Record<string, unknown>;
  for (const name of declaredNames(dto.constructor)) {
    const value = parameters[name];
    fields[name] = isBlank(value) ? undefined : value;
  }
  const [problem] = validateSync(dto, { forbidUnknownValues: false });
  if (problem === undefined) return dto;
  const refusals = Object.entries(problem.constraints ?? {}) as [ErrorCode, string][];
  const refusal = refusals.find(([code]) => code === 'missing_parameter') ?? refusals[0];
  throw new SettleError(refusal?.[0] ?? 'invalid_request', refusal?.[1] ?? `${problem.property} cannot be read.`);
}

function declaredNames(dto: NewableFunction): Set<string> {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return new Set(metadata.map(({ propertyName }) => propertyName));
}
