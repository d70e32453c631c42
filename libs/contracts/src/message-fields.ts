import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  length,
  maxLength,
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
  buildMessage,
  type ValidationOptions,
} from 'class-validator';
import { isId } from './ids.js';
import type { PayloadClass } from './message.js';
import { isPlainLine, isPlainName, isPlainText } from './plain-text.js';

/** A field of a message: the class-validator rules for its value, and the type of a value that passes them. */
export interface Field<Value> {
  readonly rules: readonly PropertyDecorator[];
  /** Never set: carries the type. */
  readonly type?: Value;
}

/** A field that a message may lack. */
interface OptionalField<Value> extends Field<Value> {
  readonly isOptional: true;
}

type Fields = Readonly<Record<string, Field<unknown>>>;
type ValueOf<One> = One extends Field<infer Value> ? Value : never;
type Values<Of extends Fields> = {
  readonly [Name in keyof Of as Of[Name] extends OptionalField<unknown> ? never : Name]: ValueOf<Of[Name]>;
} & {
  readonly [Name in keyof Of as Of[Name] extends OptionalField<unknown> ? Name : never]?: ValueOf<Of[Name]>;
};

/** Returns a class for the payload of a message: its type is inferred from the fields, its validators are their rules. */
export function message<Of extends Fields>(fields: Of): new () => Values<Of> {
  class Message {}
  for (const [name, { rules }] of Object.entries(fields)) for (const rule of rules) rule(Message.prototype, name);
  return Message as new () => Values<Of>;
}

/** A field with rules of its own. An error names the first rule that a value breaks. */
export const field = <Value>(...rules: readonly PropertyDecorator[]): Field<Value> => ({ rules });

/** Returns a rule for strings. @param problem what the error says of the property */
export function textRule(
  name: string,
  accepts: (text: string) => boolean,
  problem: string,
  options?: ValidationOptions,
): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && accepts(value);
  const defaultMessage = buildMessage((each) => `${each}$property ${problem}`, options);
  return ValidateBy({ name, validator: { validate, defaultMessage } }, options);
}

/** RFC 9562, any version, in lower case as all of ours are written. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ASCII = /^[ -~]*$/;

/** Limits the length in characters, as class-validator's `Length`, which is slower for ASCII. */
const lengthRule = (shortest: number, longest: number) =>
  textRule(
    'hasLength',
    (text) => (ASCII.test(text) ? text.length >= shortest && text.length <= longest : length(text, shortest, longest)),
    `must have ${shortest} to ${longest} characters`,
  );
/** Limits the length in characters, as class-validator's `MaxLength`, which is slower for ASCII. */
export const maxLengthRule = (longest: number) =>
  textRule(
    'hasMaxLength',
    (text) => (ASCII.test(text) ? text.length <= longest : maxLength(text, longest)),
    `must have at most ${longest} characters`,
  );
const NOT_PLAIN = 'must not hold control characters or characters that turn text around';

export const idRule = (options?: ValidationOptions) =>
  textRule('isId', isId, 'must be an id of 18 or 19 digits', options);
export const plainTextRule = () => textRule('isPlainText', isPlainText, NOT_PLAIN);

export const id = field<string>(idRule());
export const uuid = field<string>(textRule('isUuid', (text) => UUID.test(text), 'must be a UUID'));
export const flag = field<boolean>(IsBoolean());
export const integer = field<number>(IsInt());
/** A whole number from `least`. */
export const atLeast = (least: number) => field<number>(Min(least), IsInt());
/** A whole number from 1 to `largest`. */
export const positive = (largest: number) => field<number>(IsInt(), Min(1), Max(largest));
/** Microseconds since 1970. */
export const timeUs = atLeast(1);
export const oneOf = <const Choice>(choices: readonly Choice[]) => field<Choice>(IsIn(choices));
/** A line of text, see `isPlainLine`. */
export const line = (longest: number, shortest = 1) =>
  field<string>(textRule('isPlainLine', isPlainLine, NOT_PLAIN), lengthRule(shortest, longest));
/**
 * A name that a user chooses, see `isPlainName`. Records of names that were chosen before that rule are held to `line`.
 */
export const plainName = (longest: number) =>
  field<string>(textRule('isPlainName', isPlainName, NOT_PLAIN), lengthRule(1, longest));
/** @param items the rules of each item */
export const list = <Item>(longest: number, ...items: readonly PropertyDecorator[]) =>
  field<readonly Item[]>(...items, ArrayMaxSize(longest), IsArray());
/** An object that the validators of its own class accept. ValidateNested alone accepts null and absent values. */
export const nested = <Value extends object>(dto: new () => Value) =>
  field<Value>(
    IsObject(),
    ValidateNested(),
    Type((): PayloadClass => dto),
  );

/** The value may be null. */
export const nullable = <Value>({ rules }: Field<Value>) => field<Value | null>(...rules, IsOptional());
/** The field may be absent. */
export const optional = <Value>({ rules }: Field<Value>): OptionalField<Value> => ({
  rules: [...rules, IsOptional()],
  isOptional: true,
});
