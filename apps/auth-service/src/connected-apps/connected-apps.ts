import { Injectable } from '@nestjs/common';
import { SCOPES, type Scope } from '@settle/contracts';
import { DataSource } from 'typeorm';
import { Authorizations } from '../oauth/authorizations.js';

/** An app with access to a user's wallet, or with a remembered consent. */
export interface ConnectedApp {
  readonly appId: string;
  readonly name: string;
  readonly siteUrl: string;
  readonly scopes: readonly Scope[];
  readonly connectedAt: Date;
  /** Up to about a minute old. Null if the app was never used. */
  readonly lastUsedAt: Date | null;
  /** The amount that the app may spend within a day. Null means no limit. */
  readonly amountPerDayCents: number | null;
}

const SELECT_CONNECTED = `
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

/** The apps that users authorized. */
@Injectable()
export class ConnectedApps {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authorizations: Authorizations,
  ) {}

  /** Returns the apps of a user, most recently used first. */
  async list(userId: string): Promise<ConnectedApp[]> {
    const apps = await this.dataSource.query<ConnectedApp[]>(SELECT_CONNECTED, [userId]);
    return apps.map((app) => ({ ...app, scopes: SCOPES.filter((scope) => app.scopes.includes(scope)) }));
  }

  /**
   * Ends all access of the app to the user's wallet and forgets the consent. Throws `outcome_unknown` if the change is
   * stored but gateways have not confirmed it.
   */
  async disconnect(userId: string, appId: string): Promise<void> {
    // Comes first, and waits for transactions that rely on the consent: the next statement ends what they issue.
    await this.dataSource.query('delete from consents where user_id = $1 and app_id = $2', [userId, appId]);
    await this.authorizations.revoke({ appId, userId });
  }

  /** Disconnects all apps of a user whose account may be compromised. */
  async disconnectAll(userId: string): Promise<void> {
    await this.dataSource.query('delete from consents where user_id = $1', [userId]);
    await this.authorizations.revoke({ userId });
  }
}
