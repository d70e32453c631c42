import type { Schema } from '../schemas/schema.js';
import { isBlank, missingParameter, type ParameterRule } from './parameter-rules.js';
import type { RequestParameters } from './request-parameters.js';

/** One parameter of an operation: the rule that reads it, and what the OpenAPI document says about it. */
export interface Parameter<Value = unknown> {
  readonly read: ParameterRule<Value>;
  readonly isRequired?: true;
  readonly description: string;
  readonly schema: Schema;
  /** The value is a list, separated by commas. */
  readonly isList?: true;
}

/** The parameters of an operation by name, in the order in which they are read. */
export type ParameterTable = Readonly<Record<string, Parameter>>;

/** The values of the parameters; null for one that is absent. */
export type ParameterValues<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly read: ParameterRule<infer Value> }
    ? Table[Name] extends { readonly isRequired: true }
      ? Value
      : Value | null
    : never;
};

/**
 * Reads the parameters of a table. Others are ignored; an empty one counts as absent. Errors: the first one in the order of
 * the table, `missing_parameter` for a required parameter that is absent.
 */
export function readParameters<Table extends ParameterTable>(
  parameters: RequestParameters,
  table: Table,
): ParameterValues<Table> {
  const values: Record<string, unknown> = {};
  for (const name in table) {
    const { read, isRequired } = table[name] as Parameter;
    const value = parameters[name];
    if (!isBlank(value)) values[name] = read(value, name);
    else if (isRequired) throw missingParameter(name);
    else values[name] = null;
  }
  return values as ParameterValues<Table>;
}
