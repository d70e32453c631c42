import { formatIsoDateUs, type UserCard } from '@settle/contracts';

/** Serializes an entry of the friends list, with exactly the fields of the interface. */
export function printFriend(card: UserCard): object {
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
export function printParty(card: UserCard): object {
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
