import { LIMITS } from '@settle/config';
import type { ProviderChange } from '@settle/provider-api';
import type { Pool } from 'pg';
import type { Clock } from '../storage/clock.js';

const { hintsKeptMs, hintsPerDelete } = LIMITS.provider;

const STORE = {
  name: 'store-provider-hint',
  text: `insert into provider_hints (id, kind, key, version, received_at) values ($1, $2, $3, $4, $5)
    on conflict (id) do nothing`,
};
const UNHANDLED = {
  name: 'unhandled-provider-hints',
  text: `select id, kind, key, version::float8 as version from provider_hints
    where handled_at is null order by seq limit $1`,
};
const MARK = {
  name: 'mark-provider-hints',
  text: 'update provider_hints set handled_at = $2 where id = any ($1::text[]) and handled_at is null',
};
const REMOVE = { name: 'remove-provider-hints', text: 'delete from provider_hints where id = any ($1::text[])' };
const REMOVE_OLD = {
  name: 'remove-old-provider-hints',
  text: `delete from provider_hints where id in (
    select id from provider_hints where received_at < $1 order by received_at limit $2)`,
};

/** That an object of the provider has a new version: read it, and let its highest version count. */
export interface ProviderHint {
  /** The id of the callback. */
  readonly id: string;
  readonly kind: ProviderChange['kind'];
  readonly key: string;
  readonly version: number;
}

/** Callbacks of the provider that are stored until they are handled. They can be lost: the list of changes has all. */
export class ProviderHints {
  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly clock: Clock,
  ) {}

  /** Resolves with false if a callback with this id is stored already. Errors: the database's. */
  async store(id: string, { kind, key, version }: ProviderChange): Promise<boolean> {
    const { rowCount } = await this.pool.query({ ...STORE, values: [id, kind, key, version, this.#now()] });
    return rowCount === 1;
  }

  /** Returns the oldest unhandled hints in order. Several instances may get the same ones, which does no harm. */
  async unhandled(limit: number): Promise<readonly ProviderHint[]> {
    const { rows } = await this.pool.query<ProviderHint>({ ...UNHANDLED, values: [limit] });
    return rows;
  }

  async markHandled(ids: readonly string[]): Promise<void> {
    await this.pool.query({ ...MARK, values: [ids, this.#now()] });
  }

  /** Removes hints that cannot be applied: a handled one was applied. */
  async remove(ids: readonly string[]): Promise<void> {
    await this.pool.query({ ...REMOVE, values: [ids] });
  }

  /** Removes one batch of old hints, handled or not. Resolves with whether there may be more. */
  async removeOld(): Promise<boolean> {
    const before = new Date(this.#now().getTime() - hintsKeptMs);
    const { rowCount } = await this.pool.query({ ...REMOVE_OLD, values: [before, hintsPerDelete] });
    return (rowCount ?? 0) >= hintsPerDelete;
  }

  #now(): Date {
    return new Date(this.clock.nowUs() / 1_000);
  }
}
