import { isLoopback } from './setting-parsers.js';
import {
  SETTINGS_TABLE as TABLE,
  type ContactVisibility,
  type LogLevel,
  type NodeEnv,
  type Setting,
} from './settings-table.js';

/** Where the events live. */
type EventStoreSettings = { readonly kind: 'postgres' } | { readonly kind: 'eventstoredb'; readonly url: string };

/** What the operator decided, checked. Deeply frozen. */
export interface Settings {
  readonly nodeEnv: NodeEnv;
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly dataDir: string;
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  readonly eventStore: EventStoreSettings;
  readonly demo: boolean;
  readonly devTools: boolean;
  readonly logLevel: LogLevel;
  readonly corsOrigins: readonly string[];
  readonly contactVisibility: ContactVisibility;
  readonly payments: {
    readonly maxAmountCents: number;
    readonly feeBps: number;
    readonly feeFixedCents: number;
    readonly expiryDays: number;
  };
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The settings cannot be used. Each of `problems` is one line: the setting, what is wrong, what to write. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
  }
}

/** Reads the rows of the table and remembers what it could not use. */
class Reader {
  readonly problems: string[] = [];

  constructor(private readonly env: EnvironmentVariables) {}

  /** The value of a row, or null when none is written and there is no default, or when it cannot be used. */
  value<Value>(row: Setting<Value>): Value | null {
    const written = this.env[row.name]?.trim();
    // An empty value is what compose files and CI systems write for "not set".
    const text = written ? written : row.default;
    if (text === null) return null;
    const value = row.parse(text);
    if (value !== undefined) return value;
    this.refuse(row, `${row.isSecret ? 'the value' : quote(text)} is not ${row.expects}`);
    return null;
  }

  /** A row that has a default. What stands in for a refused value is never seen: reading ends in an error. */
  required<Value>(row: Setting<Value>): Value {
    const value = this.value(row) ?? (row.default === null ? undefined : row.parse(row.default));
    if (value === undefined) throw new Error(`The table gives ${row.name} no usable default.`);
    return value;
  }

  refused(row: Setting<unknown>): boolean {
    return this.problems.some((problem) => problem.startsWith(`${row.name}:`));
  }

  refuse(row: Setting<unknown>, what: string, write = row.example): void {
    this.problems.push(`${row.name}: ${what}; write for example ${row.name}=${write}`);
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function readDemo(read: Reader, isProduction: boolean): Pick<Settings, 'demo' | 'devTools'> {
  const demo = read.value(TABLE.demo) ?? !isProduction;
  const devTools = read.value(TABLE.devTools) ?? demo;
  if (isProduction && demo) read.refuse(TABLE.demo, 'demo data has known passwords and is refused in production');
  if (isProduction && devTools && read.value(TABLE.devTools)) {
    read.refuse(TABLE.devTools, 'development tools show codes to anybody and are refused in production');
  }
  return { demo, devTools };
}

function readEventStore(read: Reader): EventStoreSettings {
  const kind = read.required(TABLE.eventStore);
  const url = read.value(TABLE.eventStoreUrl);
  if (kind === 'postgres') return { kind };
  if (url === null && !read.refused(TABLE.eventStoreUrl)) {
    read.refuse(TABLE.eventStoreUrl, 'it is needed with EVENT_STORE=eventstoredb');
  }
  return { kind, url: url ?? '' };
}

function readPublicUrl(read: Reader, port: number, isProduction: boolean): string {
  const publicUrl = read.value(TABLE.publicUrl) ?? `http://localhost:${port}`;
  if (isProduction && !publicUrl.startsWith('https://') && !isLoopback(publicUrl)) {
    read.refuse(TABLE.publicUrl, 'in production people must reach it over https');
  }
  return publicUrl;
}

/**
 * The settings that `env` (mostly `process.env`) stands for.
 * Errors: `SettingsError`, which names every problem at once.
 */
export function readSettings(env: EnvironmentVariables): Settings {
  const read = new Reader(env);
  const nodeEnv = read.required(TABLE.nodeEnv);
  const isProduction = nodeEnv === 'production';
  const port = read.required(TABLE.port);
  const settings: Settings = {
    nodeEnv,
    host: read.required(TABLE.host),
    port,
    publicUrl: readPublicUrl(read, port, isProduction),
    dataDir: read.required(TABLE.dataDir),
    databaseUrl: read.value(TABLE.databaseUrl),
    eventStore: Object.freeze(readEventStore(read)),
    ...readDemo(read, isProduction),
    logLevel: read.required(TABLE.logLevel),
    corsOrigins: Object.freeze([...(read.value(TABLE.corsOrigins) ?? [])]),
    contactVisibility: read.required(TABLE.contactVisibility),
    payments: Object.freeze({
      maxAmountCents: read.required(TABLE.maxAmountCents),
      feeBps: read.required(TABLE.feeBps),
      feeFixedCents: read.required(TABLE.feeFixedCents),
      expiryDays: read.required(TABLE.expiryDays),
    }),
  };
  if (read.problems.length > 0) throw new SettingsError(read.problems);
  return Object.freeze(settings);
}
