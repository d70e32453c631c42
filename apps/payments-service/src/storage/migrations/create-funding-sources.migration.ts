import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // `for_payouts_since_us` is set for the one source of a user to which withdrawals go.
  `create table funding_sources (
    key text primary key,
    user_id bigint not null,
    state text not null,
    can_charge boolean not null,
    can_payout boolean not null,
    owner_match boolean not null,
    fingerprint text,
    brand text,
    last_four text,
    version bigint not null,
    begun_us bigint not null,
    kept_us bigint,
    for_payouts_since_us bigint
  )`,
  'create index funding_sources_of_user on funding_sources (user_id, begun_us)',
  `create unique index funding_sources_for_payouts on funding_sources (user_id) where for_payouts_since_us is not null`,
  // A card or account belongs to its first user for ever, also after the source has ended.
  `create table funding_fingerprints (
    fingerprint text primary key,
    user_id bigint not null
  )`,
  `create table funding_pages (
    charge_key text primary key,
    url text not null,
    expires_at text not null,
    until_us bigint not null
  )`,
  'create index funding_pages_by_age on funding_pages (until_us)',
];

/**
 * The provider's facts of users' sources, which can be read from it again, the user of each card or account, and the pages
 * on which users must confirm charges.
 */
export class CreateFundingSources1795730000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table funding_pages, funding_fingerprints, funding_sources');
  }
}
