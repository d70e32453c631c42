import { formatIsoDateUs, type PersonCard } from '@settle/contracts';

/** Entry of the friends list, with exactly the document's keys. */
export function printFriend(card: PersonCard): object {
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

/** Actor or target of a payment: a friend's keys and `date_joined`. */
export function printParty(card: PersonCard): object {
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
