import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A consent page that was shown and waits for Allow or Deny. It is answered once, by the session that saw it. */
@Entity('consent_requests')
export class ConsentRequest {
  /** Of the id in the form. */
  @PrimaryColumn({ name: 'id_sha256', type: 'bytea' })
  idSha256: Buffer;

  @Column({ name: 'session_sha256', type: 'bytea' })
  sessionSha256: Buffer;

  /** The query of the authorization request, as it came. It is read anew when the answer comes. */
  @Column({ type: 'text' })
  query: string;

  /** Where the page said that it leads. */
  @Column({ name: 'redirect_uri', type: 'text' })
  redirectUri: string;

  /** What the page called the app; null: made by the version before. */
  @Column({ name: 'app_name', type: 'text', nullable: true })
  appName: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
