import type { Scope } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A remembered consent: the app gets exactly these scopes at exactly this redirect URI without asking again. */
@Entity('consents')
export class Consent {
  @PrimaryColumn({ name: 'user_id', type: 'bigint' })
  userId: string;

  @PrimaryColumn({ name: 'app_id', type: 'text' })
  appId: string;

  @PrimaryColumn({ name: 'redirect_uri', type: 'text' })
  redirectUri: string;

  /** In the order of `SCOPES`. */
  @Column({ type: 'text', array: true })
  scopes: Scope[];

  /** The app's name at that time: a renamed app must ask again. */
  @Column({ name: 'app_name', type: 'text', nullable: true })
  appName: string | null;

  @Column({ name: 'given_at', type: 'timestamptz' })
  givenAt: Date;
}
