import { DEMO_USERS, formatIsoDateUs, type UserCard } from '@settle/contracts';
import { datetime, id, nullable, record, text, type Schema } from '../schemas/schema.js';

const { alice } = DEMO_USERS;

const friendFields = {
  id: id('The user.', alice.id),
  username: text('Unique without regard to case.', { examples: [alice.username] }),
  first_name: text('First name.', { examples: [alice.firstName] }),
  last_name: text('Last name.', { examples: [alice.lastName] }),
  display_name: text('What to call the user.', { examples: [`${alice.firstName} ${alice.lastName}`] }),
  about: text('The bio; empty until it is set.', { examples: [alice.about] }),
  profile_picture_url: text("The user's own picture, or one with initials.", {
    examples: ['https://settle.example.com/pictures/AA.svg'],
  }),
};

const partyFields = { ...friendFields, date_joined: datetime('When the user joined.') };

const userFields = {
  ...partyFields,
  email: nullable(text('Null when there is none, or the token lacks `access_email`.'), alice.email, null),
  phone: nullable(text('Null when there is none, or the token lacks `access_phone`.'), alice.phone, null),
  is_friend: {
    type: ['boolean', 'null'],
    description: "Whether the caller's user is a friend of this one; null for oneself.",
    examples: [true],
  },
  friends_count: { type: 'integer', minimum: 0, description: 'How many friends the user has.', examples: [1] },
};

export const USER_SCHEMAS: Readonly<Record<string, Schema>> = {
  User: record('A user.', userFields),
  Friend: record('A user in a list of friends.', friendFields),
  Party: record('A user as a party of a payment.', partyFields),
};

/** Serializes an entry of the friends list, with exactly the fields of the interface. */
export function serializeFriend(card: UserCard): object {
  return {
    id: card.id,
    username: card.username,
    first_name: card.firstName,
    last_name: card.lastName,
    display_name: card.displayName,
    about: card.about,
    profile_picture_url: card.profilePictureUrl,
  };
}

/** Serializes the actor or target of a payment: a friend's fields and `date_joined`. */
export function serializeParty(card: UserCard): object {
  return {
    id: card.id,
    username: card.username,
    first_name: card.firstName,
    last_name: card.lastName,
    display_name: card.displayName,
    about: card.about,
    profile_picture_url: card.profilePictureUrl,
    date_joined: formatIsoDateUs(card.dateJoinedUs),
  };
}
