import { formatIsoDateUs, type PersonCard, type Profile, type Scope } from '@settle/contracts';

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

/** The whole user. `email` and `phone` show only to a token that may see them. */
export function printUser(profile: Profile, scopes: readonly Scope[]): object {
  return {
    id: profile.id,
    username: profile.username,
    first_name: profile.firstName,
    last_name: profile.lastName,
    display_name: profile.displayName,
    date_joined: formatIsoDateUs(profile.dateJoinedUs),
    profile_picture_url: profile.profilePictureUrl,
    about: profile.about,
    email: scopes.includes('access_email') ? profile.email : null,
    phone: scopes.includes('access_phone') ? profile.phone : null,
    is_friend: profile.isFriend,
    friends_count: profile.friendsCount,
  };
}
