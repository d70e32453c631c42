import type { MigrationInterface, QueryRunner } from 'typeorm';

const [CAPITALS, SMALL] = ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'];
/** A user's e-mail address as `normaliseEmail` of this release has it. */
const ownForm = (user: string) => `
  translate(split_part(${user}.email, '@', 1), '${CAPITALS}', '${SMALL}')
    || '@' || split_part(${user}.email_normalised, '@', 2)`;

/** The e-mail addresses that were folded beyond A to Z, and whether another user has the address that came of it. */
const FOLDED = `
  select u.id, u.email_normalised as folded, ${ownForm('u')} as own, u.email_normalised ~ '^[ -~]*$' as is_ascii,
    exists (select from users o where o.id <> u.id and o.email_normalised = u.email_normalised
      and ${ownForm('o')} = o.email_normalised)
    or exists (select from proven_addresses p where p.kind = 'email' and p.value = u.email_normalised
      and p.user_id <> u.id) as belongs_to_another
  from users u where u.email is not null and ${ownForm('u')} <> u.email_normalised order by u.id for update`;
const DELETE_PROOF = `delete from proven_addresses where kind = 'email' and user_id = $1 and value = $2`;
const SHOW_NEWEST = `
  update users set (email, email_normalised) = (
    select max(value), max(value) from (
      select value from proven_addresses where kind = 'email' and user_id = $1 order by proven_at_us desc limit 1) newest)
  where id = $1`;
const MOVE_PROOF = `update proven_addresses set value = $3 where kind = 'email' and user_id = $1 and value = $2`;

interface Folded {
  readonly id: string;
  readonly folded: string;
  readonly own: string;
  readonly is_ascii: boolean;
  readonly belongs_to_another: boolean;
}

/**
 * Separates e-mail addresses that were compared as equal and are not: the code for `mi<U+212A>e@example.com` counted for
 * `mike@example.com`. The user whose spelling is the ASCII one keeps that address, and the other loses it; where there
 * is no other user, the address on file becomes the one that was proven. Payments that are settled stay as they are.
 */
export class SeparateFoldedEmails1795510100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const users = (await runner.query(FOLDED)) as Folded[];
    for (const { id, folded, own, is_ascii: isAscii, belongs_to_another: belongsToAnother } of users) {
      if (belongsToAnother) {
        await runner.query(DELETE_PROOF, [id, folded]);
        await runner.query(SHOW_NEWEST, [id]);
      } else if (isAscii) {
        await runner.query(MOVE_PROOF, [id, folded, own]);
        await runner.query('update users set email_normalised = $2 where id = $1', [id, own]);
      } else {
        // A capital letter beyond ASCII: the folded form is no other user's and stays the address.
        await runner.query('update users set email = email_normalised where id = $1', [id]);
      }
    }
    // Readers of the records learn it from new ones.
    if (users.length > 0) await runner.query('insert into due_announcement default values on conflict do nothing');
  }

  async down(): Promise<void> {
    // Which addresses were taken for which is not kept.
  }
}
