import { CHANGES_PER_PAGE, parseChange, parseChanges, type ProviderChange } from '@settle/provider-api';

/** A page of the list of changes. */
export interface ChangesPage {
  readonly changes: readonly ProviderChange[];
  /** Changes of the page that break the interface and are left out: one of them must not hide the others. */
  readonly unreadable: number;
  readonly cursor: string;
  /** Whether no change follows the cursor that was sent. */
  readonly isEnd: boolean;
}

/** Returns null if it is no page. */
export function parseChangesPage(value: unknown): ChangesPage | null {
  if (typeof value !== 'object' || value === null || !('changes' in value)) return null;
  const { changes: listed } = value;
  if (!Array.isArray(listed) || listed.length > CHANGES_PER_PAGE) return null;
  const page = parseChanges({ ...value, changes: [] });
  if (page === null) return null;
  const changes = listed.map(parseChange).filter((change) => change !== null);
  const unreadable = listed.length - changes.length;
  return { changes, unreadable, cursor: page.cursor, isEnd: listed.length === 0 };
}
