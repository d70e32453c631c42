import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An app that users can authorize. */
@Entity('apps')
export class App {
  @PrimaryColumn({ name: 'client_id', type: 'text' })
  clientId: string;

  /** Null: the app is a public client, which cannot keep a secret. */
  @Column({ name: 'secret_sha256', type: 'bytea', nullable: true })
  secretSha256: Buffer | null;

  /** Null: created before this column existed, or there is no secret. */
  @Column({ name: 'secret_made_at', type: 'timestamptz', nullable: true })
  secretMadeAt: Date | null;

  /** The previous secret, which stays valid until the developer ends it; null: none. */
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

  /** The first is the web redirect URL, the default of requests without `redirect_uri`. */
  @Column({ name: 'redirect_urls', type: 'text', array: true })
  redirectUrls: string[];

  @Column({ name: 'owner_id', type: 'bigint' })
  ownerId: string;

  /** Whether redirect URLs below the registered ones are accepted. */
  @Column({ name: 'builds_addresses', type: 'boolean', default: false })
  buildsAddresses: boolean;

  /**
   * Whether the app may use the client-side flow, which returns the token in the URL. The API offers that flow to every
   * app with a redirect URL and asks for consent each time; the developer can turn it off.
   */
  @Column({ name: 'takes_tokens', type: 'boolean', default: true })
  takesTokens: boolean;

  /** Whether codes require a challenge although the app has a secret; without a secret they always do. */
  @Column({ name: 'requires_pkce', type: 'boolean', default: false })
  requiresPkce: boolean;

  /** When its plain http redirect URLs stop working; null: never. */
  @Column({ name: 'http_redirects_until', type: 'timestamptz', nullable: true })
  httpRedirectsUntil: Date | null;

  /** Whether responses use the legacy format, see `libs/contracts/src/legacy-answers.ts`. */
  @Column({ name: 'legacy_answers', type: 'boolean', default: false })
  legacyAnswers: boolean;

  /** When its owner deleted it and its tokens were revoked. */
  @Column({ name: 'deleted_at', type: 'timestamptz', nullable: true })
  deletedAt: Date | null;

  /** When an operator suspended it; it has no tokens and gets none. Null: not suspended. */
  @Column({ name: 'suspended_at', type: 'timestamptz', nullable: true })
  suspendedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;
}
