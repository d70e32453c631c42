import { file, type Parser } from './setting-parsers.js';

/** When the file of a secret is read, by the use of the secret. */
export const READ_AT_EACH_CONNECTION =
  'It is read again before each new connection, so that a password can be changed while the service runs.';
export const READ_AT_EACH_MESSAGE =
  'It is read again before each message is sent, so that a secret can be changed while the service runs.';

interface Row {
  /** As one would write it; absent when there is none or it follows from other settings (see `otherwise`). */
  readonly default?: string;
  /** Describes the value when the setting is not set and there is no `default`; absent: none. */
  readonly otherwise?: string;
  readonly meaning: string;
  /** The processes that read it; absent: all of them, the embedded shape included. */
  readonly readBy?: string | undefined;
  /** Absent: the default. */
  readonly example?: string;
  /** The value is never repeated in a message. */
  readonly isSecret?: boolean;
  /** A secret that a file may hold, `<name>_FILE`: says when the file is read. */
  readonly inFile?: string;
}

/** One row of the table: an environment variable, its meaning and its values. */
export interface Setting<Value> extends Row {
  readonly name: string;
  readonly parse: Parser<Value>;
  readonly example: string;
}

export function setting<Value>(
  name: string,
  parse: Parser<Value>,
  row: Row & ({ readonly default: string } | { readonly example: string }),
): Setting<Value> {
  return {
    name,
    parse,
    ...row,
    isSecret: row.isSecret ?? row.inFile !== undefined,
    example: row.example ?? row.default ?? '',
  };
}

/** The setting that names the file which holds the value of `row` in its place. */
export function fileSetting({ name, readBy, inFile = '' }: Setting<unknown>): Setting<string> {
  return setting(`${name}_FILE`, file, {
    meaning: `A file that holds \`${name}\`, in its place. ${inFile}`,
    readBy,
    example: `/run/secrets/${name.toLowerCase().replaceAll('_', '-')}`,
  });
}
