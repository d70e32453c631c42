/** One table of a read model. */
export interface ReadModelTable {
  readonly name: string;
  /** Types by column; together they are unique. */
  readonly key: Readonly<Record<string, 'bigint' | 'int' | 'text'>>;
  /** Columns that a rebuild may fill differently: the time of projection, or columns newer than some rows. */
  readonly unreproducibleColumns: readonly string[];
}

const table = (
  name: string,
  key: ReadModelTable['key'],
  unreproducibleColumns: readonly string[] = [],
): ReadModelTable => {
  return { name, key, unreproducibleColumns };
};

/** The tables of each read model. One projector writes them all, rows and checkpoint in one transaction. */
export const READ_MODELS = {
  payments: [table('payments', { id: 'bigint' }, ['app_id'])],
  'ledger-entries': [
    table('ledger_entries', { wallet_id: 'bigint', revision: 'int' }, ['app_id']),
    table('fee_entries', { payment_id: 'bigint' }),
  ],
  'open-work': [table('open_work', { payment_id: 'bigint', act: 'text' }, ['since_us'])],
} as const satisfies Record<string, readonly ReadModelTable[]>;

export type ReadModelName = keyof typeof READ_MODELS;

export const READ_MODEL_NAMES = Object.keys(READ_MODELS) as ReadModelName[];

export function isReadModelName(text: string): text is ReadModelName {
  return Object.hasOwn(READ_MODELS, text);
}

/** The tables of these read models. */
export function tablesOf(models: readonly ReadModelName[]): readonly ReadModelTable[] {
  return models.flatMap((model): readonly ReadModelTable[] => READ_MODELS[model]);
}
