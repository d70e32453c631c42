import { readSecretFile, rememberSecretFile } from './secret-files.js';
import { fileSetting, type Setting } from './setting.js';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The settings cannot be used. Each of `problems` is one line: the setting, what is wrong, what to write. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
  }
}

/** Reads rows of the table and remembers what it could not use. */
export class SettingsReader {
  readonly problems: string[] = [];

  constructor(private readonly env: EnvironmentVariables) {}

  /** Whether anything stands there. */
  isWritten(row: Setting<unknown>): boolean {
    return this.#written(row.name) !== '' || this.#fileOf(row) !== '';
  }

  /** The value of a row, or null when none is written and there is no default, or when it cannot be used. */
  value<Value>(row: Setting<Value>): Value | null {
    const written = this.#written(row.name);
    const file = this.#fileOf(row);
    if (file !== '') return this.#fromFile(row, file);
    const text = written === '' ? row.default : written;
    if (text === undefined) return null;
    const value = row.parse(text);
    if (value !== undefined) return value;
    this.refuse(row, `${row.isSecret ? 'the value' : quote(text)} is not ${row.parse.expects}`);
    return null;
  }

  /** A row that has a default. What stands in for a refused value is never seen: reading ends in an error. */
  required<Value>(row: Setting<Value>): Value {
    const value = this.value(row) ?? (row.default === undefined ? undefined : row.parse(row.default));
    if (value === undefined) throw new Error(`The table gives ${row.name} no usable default.`);
    return value;
  }

  /** Refuses the row if nothing stands there. @param why it is needed */
  requireWritten(row: Setting<unknown>, why: string): void {
    if (!this.isWritten(row)) this.refuse(row, why);
  }

  refused(row: Setting<unknown>): boolean {
    return this.problems.some((problem) => problem.startsWith(`${row.name}:`));
  }

  /** An empty value is what compose files and CI systems write for "not set". */
  #written(name: string): string {
    return this.env[name]?.trim() ?? '';
  }

  #fileOf(row: Setting<unknown>): string {
    return row.inFile === undefined ? '' : this.#written(`${row.name}_FILE`);
  }

  #fromFile<Value>(row: Setting<Value>, file: string): Value | null {
    const fileRow = fileSetting(row);
    if (this.#written(row.name) !== '') {
      this.refuse(fileRow, `${row.name} is set as well; set one of the two`);
      return null;
    }
    try {
      const text = readSecretFile(file);
      const value = row.parse(text);
      if (value !== undefined) {
        rememberSecretFile(text, file, (newest) => row.parse(newest) !== undefined);
        return value;
      }
      this.refuse(fileRow, `what the file holds is not ${row.parse.expects}`);
    } catch (error) {
      this.refuse(fileRow, `the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
    return null;
  }

  refuse({ name, example }: Setting<unknown>, what: string): void {
    this.problems.push(`${name}: ${what}; write for example ${name}=${example}`);
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
