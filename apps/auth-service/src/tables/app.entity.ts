import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An app that people can let in. */
@Entity('apps')
export class App {
  @PrimaryColumn({ name: 'client_id', type: 'text' })
  clientId: string;

  @Column({ name: 'secret_sha256', type: 'bytea' })
  secretSha256: Buffer;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  description: string;

  @Column({ name: 'site_url', type: 'text' })
  siteUrl: string;

  /** The first is the web redirect URL, which holds when a request names none. */
  @Column({ name: 'redirect_urls', type: 'text', array: true })
  redirectUrls: string[];

  @Column({ name: 'owner_id', type: 'bigint' })
  ownerId: string;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;
}
