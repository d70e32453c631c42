import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const byPhone = by.claims('given a pay to a phone, when its owner signs up and proves it, then the money is theirs');

const guessedAccount = by.guessing(
  'given many passwords on one account from as many addresses, when sent, then ten are compared and then one after ever longer waits, and its owner gets in',
);
const mayNotBe = (...cases: string[]) =>
  by.accountPages('given %s that may not be, when signed up with, then the page says so', ...cases);
const nothingConnected = by.rateLimits(
  'given no provider of cards and no mail server, when one is needed, then 503, and the page says why',
);

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
    'a username is taken in any case of its letters': [
      by.accountPages('given a username that is taken, in any case, when signed up with, then the page says so'),
      by.accountPages(
        'given two who ask for one username, when both prove their addresses, then the first has it and the other may take another',
      ),
    ],
    'whether an address has an account is told to its mailbox alone': [
      by.accountPages(
        'given an address with an account and one without, when each signs up, then the pages are the same, and its mailbox alone is told',
      ),
      by.accountPages(
        'given an address with an account and one without, when a password is forgotten, then the pages are the same',
      ),
    ],
    'a code: good in the browser that asked for it, five tries': by.accountPages(
      'given a code, when it is typed in another browser, or after five wrong ones, then it is worth nothing',
    ),
    'a code: ten minutes': [
      by.lifetimes(
        'given a code that was sent, when ten minutes are over, then it is worth nothing, and not a minute before',
      ),
      by.codes('given ten minutes, when they are over, then it is refused and waits no longer'),
    ],
    'code after code to one address: one must wait': by.accountPages(
      'given one address, when code after code is asked for, then one must wait',
    ),
    'a server that can send nothing says why nobody can sign up': [
      nothingConnected,
      by.signUps('given production without a mail server, when somebody signs up, then the page says why it cannot be'),
    ],
    'who is asked by an app may sign up on the way, and comes back to its question': by.walk(
      'given an app that asks, when somebody signs up on its way, then they come back to its question',
    ),
    'profile, default audience and addresses are changed at `/account`': by.walk(
      'given an account, when its owner looks after it, then each page does what it says',
    ),
    'another password ends all other sessions': by.accountPages(
      'given sessions in two browsers, when the password changes in one, then only that one goes on, with another id',
    ),
    'a forgotten password: a new one by a code to a proven e-mail address': by.walk(
      'given a forgotten password, when a code comes back, then there is a new one',
    ),
    'forms of an account without their token, or from elsewhere: nothing happens': by.accountPages(
      'given forms of an account, when they come without their token, or from elsewhere, then nothing happens',
    ),
    'pages: no scripts needed, readable by all, nothing that the content policy refuses': by.walk(
      'given all these pages, then axe finds nothing, none is too wide, and the browser refused nothing',
    ),
    'every page: strict headers, and no link or button of it fails or leads away but to a registered address': by.pages(
      'given somebody signed in, when every link is followed and every button pressed, then nothing fails, no form is sent on, no redirect leads away but to a registered address, and every page is strict',
    ),
    'what a new account may be called': [
      mayNotBe('a username', 'a name'),
      by.signUpRules('given %s as one of %j, when judged, then that field alone is wrong'),
    ],
    'a password: 8 characters or more': [
      mayNotBe('a password of seven characters'),
      by.passwordRules('given %j, when judged, then it is too short'),
    ],
    'a password: none of the common ones, nor one’s own name or address': [
      mayNotBe('a password that everybody has', 'one’s own address as password'),
      by.passwordRules('given %j, when judged, then it is too common'),
      by.passwordRules('given a name or address of its owner, when judged, then it is refused'),
    ],
    'passwords are stored as Argon2id': by.authorizationFlow(
      'given the passwords as stored, when read, then they are Argon2id with 19 MiB or more',
    ),
    '`return_to` leads to our own pages alone': [
      by.accountPages('given %s as where to go on, when somebody signs in, then they stay here'),
      by.ownPath('given any text, when a browser follows what comes of it, then it stays here'),
    ],
    'in a browser that the owner knows, others’ failed tries make nobody wait': [
      guessedAccount,
      by.throttle(
        'given an account and an address under attack, when its owner comes in a known browser, then they need not wait',
      ),
    ],
    'from nothing: strangers sign up, become friends, add a card, register an app, and pay': [
      by.walkFromNothing(
        'given an empty data folder, when two strangers sign up, then both are there, and become friends',
      ),
      by.walkFromNothing('given a test card, when it is added, then the page shows its last digits'),
      by.walkFromNothing('given somebody who may, when they register an app, then it has an id and a secret'),
      by.walkFromNothing('given the app, when its owner lets it in by each flow, then it has a token by each'),
      by.walkFromNothing(
        'given both tokens, when one pays the friend and one a phone number that nobody has, then the money arrives, also with its owner who comes later',
      ),
    ],
    'a card: what is beyond the balance is paid whole with it': by.cards(
      'given a card, when added twice, then the first balance comes once, and what is beyond it is paid whole with the card',
    ),
    'a card that refuses, or none: what is beyond the balance fails': [
      by.cards('given a card that refuses payments, when something beyond the balance is paid, then it fails'),
      by.cards('given a card, when removed, then payments beyond the balance fail from that moment on'),
    ],
    'a card that is declined, or none: nothing is added': [
      by.cards('given %s, when added, then the page says so and nothing is there'),
      by.cardRules('given %s that is none, when judged, then that field alone is wrong'),
    ],
    'a card: its number and security code are kept nowhere and sent to nobody': by.cardPage(
      'given a card, when added, then its number and code are in no message, and the funds come before it',
    ),
    'a card without `DEV_TOOLS`: 503, no provider is connected': [
      nothingConnected,
      by.cardPage(
        'given a server without development tools, when a card is added, then the page says why not; one can be removed',
      ),
    ],
  },
};
