import { createLogger } from '@settle/observability';
import type { RebuildDependencies } from '../../src/operators/rebuild.js';
import { Clock } from '../../src/storage/clock.js';
import type { LedgerLab } from './ledger-lab.fixture.js';

/** The dependencies of a rebuild on the database of a lab. @param more replaces what is not said here */
export function rebuildParts(
  lab: LedgerLab,
  store: RebuildDependencies['store'],
  more: Partial<RebuildDependencies> = {},
): RebuildDependencies {
  return {
    store,
    texts: lab.texts,
    databaseUrl: lab.migrationsUrl,
    clock: new Clock(),
    logger: createLogger({ level: 'silent', service: 'rebuild' }),
    say: () => undefined,
    ...more,
  };
}
