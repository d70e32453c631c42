import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An app that people can let in. */
@Entity('apps')
export class App {
  @PrimaryColumn({ name: 'client_id', type: 'text' })
  clientId: string;

  /** Null: the app has none, as one that runs on people's own machines cannot keep it. */
  @Column({ name: 'secret_sha256', type: 'bytea', nullable: true })
  secretSha256: Buffer | null;

  /** Null: before this was kept, or there is no secret. */
  @Column({ name: 'secret_made_at', type: 'timestamptz', nullable: true })
  secretMadeAt: Date | null;

  /** The secret before the newest, which works as well until the developer ends it; null: there is none. */
  @Column({ name: 'former_secret_sha256', type: 'bytea', nullable: true })
  formerSecretSha256: Buffer | null;

  @Column({ name: 'former_secret_made_at', type: 'timestamptz', nullable: true })
  formerSecretMadeAt: Date | null;

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

  /** Whether addresses below the registered ones will do. */
  @Column({ name: 'builds_addresses', type: 'boolean', default: false })
  buildsAddresses: boolean;

  /**
   * Whether the client-side flow, with its token in the address, is open to it. It is, unless its developer shuts it: the
   * interface has that flow for every app with a redirect address, and consent to it is asked each time.
   */
  @Column({ name: 'takes_tokens', type: 'boolean', default: true })
  takesTokens: boolean;

  /** Whether its codes need a challenge although it has a secret; without a secret they always do. */
  @Column({ name: 'requires_pkce', type: 'boolean', default: false })
  requiresPkce: boolean;

  /** Until when its redirect addresses of plain http still work; null: nothing ends. */
  @Column({ name: 'http_redirects_until', type: 'timestamptz', nullable: true })
  httpRedirectsUntil: Date | null;

  /** Whether it gets answers in the form of the former interface, see `libs/contracts/src/legacy-answers.ts`. */
  @Column({ name: 'legacy_answers', type: 'boolean', default: false })
  legacyAnswers: boolean;

  /** Its owner gave it up; what it held is revoked. */
  @Column({ name: 'deleted_at', type: 'timestamptz', nullable: true })
  deletedAt: Date | null;

  /** An operator suspended it: it has no tokens and gets none. Null: it works. */
  @Column({ name: 'suspended_at', type: 'timestamptz', nullable: true })
  suspendedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;
}
