import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const byPhone = by.claims('given a pay to a phone, when its owner signs up and proves it, then the money is theirs');

export const PEOPLE: Chapter = {
  title: 'Signing up and proving addresses',
  rows: {
    'a person signs up with an e-mail address that a code proves': by.claims(
      'given a pay to an e-mail, when its owner signs up with it, then that proof is enough',
    ),
    'a further address is proven by a code sent to it': byPhone,
    'an address has one owner: the newest proof takes it from whoever had it': [
      by.claims(
        'given an address of one person, when another proves it later, then what is sent goes to the newer one',
      ),
      by.accounts(
        'given twenty racing proofs by two people, when all are done, then the newest holds and one of them shows it',
      ),
    ],
    'an identity is verified once e-mail and phone are both proven, with `DEV_TOOLS`': [
      byPhone,
      by.accounts('given both kinds, when proven, then they are shown, and only the trusting check verifies'),
    ],
    'a username is taken in any case of its letters': by.accounts(
      'given a taken username, when another is to have it in any case, then it is refused and nothing is left',
    ),
    'what a new account may be called': by.signUpRules(
      'given %s as one of %j, when judged, then that field alone is wrong',
    ),
    'a password: 8 characters or more': by.passwordRules('given %j, when judged, then it is too short'),
    'a password: none of the common ones, nor one’s own name or address': [
      by.passwordRules('given %j, when judged, then it is too common'),
      by.passwordRules('given a name or address of its owner, when judged, then it is refused'),
    ],
    'passwords are stored as Argon2id': by.authorizationFlow(
      'given the passwords as stored, when read, then they are Argon2id with 19 MiB or more',
    ),
    '`return_to` leads to our own pages alone': by.ownPath(
      'given any text, when a browser follows what comes of it, then it stays here',
    ),
    'in a browser that the owner knows, others’ failed tries make nobody wait': by.throttle(
      'given an account and an address under attack, when its owner comes in a known browser, then they need not wait',
    ),
  },
};
