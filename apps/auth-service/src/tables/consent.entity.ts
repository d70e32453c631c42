import type { Scope } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An answer that need not be given again: this app may have exactly these scopes at exactly this address. */
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

  /** What the app was called then: under another name it asks again. */
  @Column({ name: 'app_name', type: 'text', nullable: true })
  appName: string | null;

  @Column({ name: 'given_at', type: 'timestamptz' })
  givenAt: Date;
}
