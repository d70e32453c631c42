import { plainToInstance } from 'class-transformer';
import { ValidationTypes, getMetadataStorage, type ValidationArguments } from 'class-validator';
import type { PayloadClass } from './message.js';

type Payload = Readonly<Record<string, unknown>>;
type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
type Rule = (value: unknown, payload: Payload) => boolean;
type Condition = (payload: Payload, value: unknown) => boolean;

/**
 * Compiles the class-validator decorators of a class to a check of plain payloads. It runs the same validators without
 * making an instance and errors, at a tenth of the cost. It accepts no payload that `validateSync` refuses; one that it
 * does not accept must be given to `validateSync`, which also says why it is refused.
 */
export function compileValidators(dto: PayloadClass): (payload: object) => boolean {
  const storage = getMetadataStorage();
  const metadata = storage.getTargetValidationMetadatas(dto, '', false, false);
  const properties = Object.entries(storage.groupByPropertyName(metadata));
  const checks = properties.map(([name, ofProperty]) => compileProperty(dto, name, ofProperty));
  return (payload) => {
    // Loops, because closures for `every` would cost a fifth of the check.
    for (const isValid of checks) if (!isValid(payload as Payload)) return false;
    // Validators refuse an instance of a class without validators.
    return checks.length > 0;
  };
}

function compileProperty(
  dto: PayloadClass,
  name: string,
  metadata: readonly Metadata[],
): (payload: Payload) => boolean {
  const isCondition = ({ type }: Metadata): boolean => type === ValidationTypes.CONDITIONAL_VALIDATION;
  const conditions = metadata.filter(isCondition).map(({ constraints }) => constraints[0] as Condition);
  const rules = metadata.filter((each) => !isCondition(each)).flatMap((each) => compileRules(dto, each));
  return (payload) => {
    const value = payload[name];
    for (const isValidated of conditions) if (!isValidated(payload, value)) return true;
    for (const isValid of rules) if (!isValid(value, payload)) return false;
    return true;
  };
}

function compileRules(dto: PayloadClass, metadata: Metadata): Rule[] {
  const { type, constraintCls, constraints, propertyName: property, each, validateIf } = metadata;
  if (type === ValidationTypes.NESTED_VALIDATION) return [compileNested(dto, property)];
  // Other options of decorators are left to `validateSync`.
  if (type !== ValidationTypes.CUSTOM_VALIDATION || validateIf !== undefined) return [() => false];
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }): Rule => {
      // One object for all calls: validators read it and do not keep it.
      const args: ValidationArguments = { targetName: dto.name, property, object: {}, value: undefined, constraints };
      const isValid: Rule = (value, payload) => {
        args.object = payload;
        args.value = value;
        // Not a promise either, which an asynchronous validator returns.
        return instance.validate(value, args) === true;
      };
      if (!each) return isValid;
      return (value, payload) => Array.isArray(value) && value.every((item) => isValid(item, payload));
    });
}

function compileNested(dto: PayloadClass, property: string): Rule {
  const { [property]: sample } = plainToInstance(dto, { [property]: {} }) as Record<string, object>;
  const isValid = compileValidators(sample?.constructor as PayloadClass);
  const isValidObject = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && isValid(value);
  return (value) => (Array.isArray(value) ? value.every(isValidObject) : isValidObject(value));
}
