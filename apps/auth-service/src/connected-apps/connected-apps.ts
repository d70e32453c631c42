import { Injectable } from '@nestjs/common';
import { SCOPES, type Scope } from '@settle/contracts';
import { DataSource } from 'typeorm';
import { Authorizations } from '../oauth/authorizations.js';
import { Consent } from '../tables/consent.entity.js';

/** An app that somebody has let in and that has access, or would get it again without a question. */
export interface ConnectedApp {
  readonly appId: string;
  readonly name: string;
  readonly siteUrl: string;
  readonly scopes: readonly Scope[];
  readonly connectedAt: Date;
  /** A minute or so behind; null: not yet. */
  readonly lastUsedAt: Date | null;
  /** What it may move out of the wallet within a day; null: no limit. */
  readonly amountPerDayCents: number | null;
}

const CONNECTED = `
  with access as (
    select app_id, scopes, connected_at, last_used_at from authorizations
    where user_id = $1 and revoked_at is null and ends_at > now()
    union all
    select app_id, scopes, given_at, null from consents join apps on client_id = app_id and name = app_name
    where user_id = $1)
  select app_id as "appId", name, site_url as "siteUrl", min(connected_at) as "connectedAt",
         max(last_used_at) as "lastUsedAt",
         (select array_agg(distinct scope) from access as one, unnest(one.scopes) as scope
          where one.app_id = apps.client_id) as scopes,
         (select amount_per_day_cents::float8 from app_amounts
          where user_id = $1 and app_amounts.app_id = apps.client_id) as "amountPerDayCents"
  from access join apps on client_id = app_id and deleted_at is null
  group by client_id, app_id, name, site_url order by max(last_used_at) desc nulls last, min(connected_at) desc`;

/** The apps that somebody let in. */
@Injectable()
export class ConnectedApps {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authorizations: Authorizations,
  ) {}

  /** Those of a user, the one used last first. */
  async of(userId: string): Promise<ConnectedApp[]> {
    const apps = await this.dataSource.query<ConnectedApp[]>(CONNECTED, [userId]);
    return apps.map((app) => ({ ...app, scopes: SCOPES.filter((scope) => app.scopes.includes(scope)) }));
  }

  /**
   * Takes everything back that the user gave the app, what it would get without a question included.
   * Error: `outcome_unknown` when gateways are told late.
   */
  async disconnect(userId: string, appId: string): Promise<void> {
    // Comes first, and waits for whoever relies on it: what comes of that is ended below.
    await this.dataSource.getRepository(Consent).delete({ userId, appId });
    await this.authorizations.revoke({ appId, userId });
  }

  /** The same for all apps: for somebody whose account others may have used. */
  async disconnectAll(userId: string): Promise<void> {
    await this.dataSource.getRepository(Consent).delete({ userId });
    await this.authorizations.revoke({ userId });
  }
}
