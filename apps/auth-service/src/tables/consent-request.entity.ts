import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A consent page that awaits Allow or Deny. It accepts one decision, from the session that loaded it. */
@Entity('consent_requests')
export class ConsentRequest {
  /** Hash of the id in the form. */
  @PrimaryColumn({ name: 'id_sha256', type: 'bytea' })
  idSha256: Buffer;

  @Column({ name: 'session_sha256', type: 'bytea' })
  sessionSha256: Buffer;

  /** The original query of the authorization request. It is parsed again when the form is submitted. */
  @Column({ type: 'text' })
  query: string;

  /** The redirect URI that the page displayed. */
  @Column({ name: 'redirect_uri', type: 'text' })
  redirectUri: string;

  /** The app's name on the page; null: created by an earlier version. */
  @Column({ name: 'app_name', type: 'text', nullable: true })
  appName: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
