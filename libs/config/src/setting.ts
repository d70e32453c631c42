import type { Parser } from './setting-parsers.js';

/** One row of the table: an environment variable, what it means, and what may stand in it. */
export interface Setting<Value> {
  readonly name: string;
  /** As one would write it; null when there is none or it follows from other settings (see `otherwise`). */
  readonly default: string | null;
  /** Describes the value when the setting is not set and `default` is null. */
  readonly otherwise?: string;
  readonly meaning: string;
  /** The processes that read it; absent: all of them, the embedded shape included. */
  readonly readBy?: string;
  /** Completes "the value is not …". */
  readonly expects: string;
  readonly example: string;
  /** The value is never repeated in a message. */
  readonly isSecret?: boolean;
  /** A file may hold it: `<name>_FILE`. */
  readonly hasFile?: boolean;
  readonly parse: Parser<Value>;
}

/** Keeps a row's own type of value. */
export const setting = <Value>(row: Setting<Value>): Setting<Value> => row;
