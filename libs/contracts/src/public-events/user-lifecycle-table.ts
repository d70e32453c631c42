import {
  EVENT_ID,
  POSITION,
  REVISION,
  SCHEMA_VERSION_1,
  TIME,
  USER_ID,
  openEnum,
  typeField,
  type EventFields,
  type EventWith,
} from './public-event-fields.js';
import type { PublicEventType } from './public-event-table.js';

/** The dealings with money that a user may have: everything, nothing for now, nothing ever again. */
const USER_STATUSES = ['active', 'frozen', 'closed'] as const;

/** The status of a user in the ledger. */
export type UserStatus = (typeof USER_STATUSES)[number];

/** @param status of the user after an event of this type, in the example */
function version1<const Type extends string>(
  [type, status]: readonly [Type, UserStatus],
  meaning: string,
  example: PublicEventType['example'],
) {
  const fields = {
    eventId: EVENT_ID,
    type: typeField(type),
    schemaVersion: SCHEMA_VERSION_1,
    userId: { ...USER_ID, description: 'The user; also the key of the record.', examples: ['1852942301724180481'] },
    position: {
      description: 'Where the event stands among all events of the ledger: sorted by it, everything is in order.',
      ...POSITION,
      examples: [48213],
    },
    revision: {
      description: "The event's place among those of its user, from 0, without gaps.",
      ...REVISION,
      examples: [0, 1],
    },
    occurredAt: {
      ...TIME,
      description:
        'When the ledger took it in, in UTC, to the microsecond: from then on it holds for payments. For users from ' +
        'before there was this topic it is the time of the upgrade; `joinedAt` is older then.',
      examples: ['2026-11-21T09:30:00.250000Z'],
    },
    joinedAt: {
      ...TIME,
      description: 'When the user joined, in UTC, to the microsecond.',
      examples: ['2026-11-21T09:29:59.750000Z'],
    },
    status: {
      description:
        'What the user is after this event. `active`: may pay and be paid. `frozen`: operators have frozen the ' +
        'account, and no money moves. `closed`: the account is gone for good.',
      ...openEnum(USER_STATUSES),
      examples: [status],
    },
  } as const satisfies EventFields;
  const examples = Object.entries<EventFields[string]>(fields).map(([name, field]) => [name, field.examples[0]]);
  return { type, version: 1, meaning, fields, example: { ...Object.fromEntries(examples), ...example } } as const;
}

/** As the types of payment events, in every version that was ever released. */
const EVENTS = [
  version1(
    ['UserJoined', 'active'],
    'A user joined. Every user has exactly one, and it comes first, also for users who are frozen or closed at once.',
    {},
  ),
  version1(['UserFrozen', 'frozen'], 'Operators froze the account: its payments and withdrawals are refused.', {
    position: 51822,
    revision: 1,
    eventId: '3d6f0a52-9c1e-5b7d-8e20-4a1b7c9d2e66',
    occurredAt: '2026-11-24T14:02:11.000000Z',
  }),
  version1(['UserThawed', 'active'], 'Operators have ended the freeze: the user pays and is paid again.', {
    position: 52947,
    revision: 2,
    eventId: '8b2c4e61-0d3f-5a9b-9c74-6e5f4d3c2b77',
    occurredAt: '2026-11-25T08:15:40.000000Z',
  }),
  version1(['UserClosed', 'closed'], 'The account was closed. It is the last event of its user.', {
    position: 60311,
    revision: 3,
    eventId: 'f19e8d7c-6b5a-5493-8271-605f4e3d2c88',
    occurredAt: '2026-12-01T10:00:00.000000Z',
  }),
] as const;

/** A record of `users.lifecycle.v1`. */
export type PublicUserEvent = EventWith<(typeof EVENTS)[number]['fields']>;

export const USER_LIFECYCLE_TYPES: readonly PublicEventType[] = EVENTS;
