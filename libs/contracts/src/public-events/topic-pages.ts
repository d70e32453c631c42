import { keptText } from '../kafka-topics-markdown.js';
import type { Privacy } from './public-event-fields.js';
import { flatFields, typeOf } from './public-event-pages.js';
import { publicEventName } from './public-event-schemas.js';
import { PUBLIC_TOPICS, type PublicTopic } from './public-topics.js';
import { topicFields } from './topic-fields.js';

const DEFAULT_PRIVACY: Privacy = 'fact';

/** The pages of the catalogue in `docs/events`, one for each public topic. */
export function topicPages() {
  return PUBLIC_TOPICS.map((publicTopic) => ({ name: `${publicTopic.topic.name}.md`, text: topicPage(publicTopic) }));
}

function topicPage(publicTopic: PublicTopic): string {
  const { topic, summary, keyMeaning, types, since, drawing } = publicTopic;
  const records = types.map((each) => `[\`${each.type}\`](${publicEventName(each)}.md)`);
  return [
    `# \`${topic.name}\``,
    '',
    'Made from the tables in `libs/contracts/src/public-events` by `node tools/generate.mjs`: change those, not this page.',
    '',
    summary,
    '',
    '| Property | Value |',
    '| --- | --- |',
    `| Records | ${records.join(', ')} |`,
    `| Key | ${keyMeaning} |`,
    `| Partitions | ${topic.partitions} |`,
    `| Kept | ${keptText(topic)} |`,
    `| Compacted | ${topic.isCompacted ? 'yes' : 'no'} |`,
    `| Since | ${since} |`,
    `| Contract | [Open Data Contract](${topic.name}.odcs.yaml), [JSON Schema of all records](${topic.name}.schema.json), [Avro](${topic.name}.avsc), [AsyncAPI](asyncapi.yaml) |`,
    '',
    '| Field | Type | Unit | Null | Privacy | Since | In |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...fieldRows(publicTopic),
    '',
    'Privacy: a *pseudonym* is an id that names a user, whom only the product knows; a *fact* says something about the user or',
    'payment that the record names; *technical* fields are about the record. No field holds a name, a note or an address. A',
    'consumer that joins pseudonyms with names must delete those names when the account is closed.',
    '',
    '```mermaid',
    ...drawing,
    '```',
    '',
  ].join('\n');
}

function fieldRows(publicTopic: PublicTopic): string[] {
  const { types } = publicTopic;
  return topicFields(publicTopic).flatMap(({ name, field, types: owners, isNullable, since }) => {
    const place = owners.length === types.length ? 'all' : owners.map((type) => `\`${type}\``).join(', ');
    const absent = field.addedIn === undefined ? '' : `; absent before ${field.addedIn}`;
    const nullRule = `${isNullable ? nullRuleOf(name, field.description) : 'never'}${absent}`;
    return flatFields({ [name]: field }).map(([path, { unit = '', privacy = DEFAULT_PRIVACY, ...each }]) => {
      return `| \`${path}\` | ${typeOf(each)} | ${unit} | ${nullRule} | ${privacy} | ${since} | ${place} |`;
    });
  });
}

/** Returns the part of a description that says when a field is null. Error: it has none. */
function nullRuleOf(name: string, description: string): string {
  const rule = /[^.;]*\bnull\b[^.;]*/.exec(description)?.[0].trim();
  if (rule === undefined) throw new Error(`The description of ${name} does not say when it is null.`);
  return rule;
}
