import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const demoCurl = by.launcher('given the demo, when it is ready, then its curl lines work as printed');
const production = by.launcher('given %s=%s in production, when it starts, then one line refuses it');

export const DEMO: Chapter = {
  title: 'Demo data',
  rows: {
    '`npm start` on an empty folder: alice, bob and carol, and curl lines that work': demoCurl,
    'alice has 100.00, bob 50.00, carol nothing': [
      by.settings('given the demo, when nothing has happened yet, then alice has 100.00, bob 50.00 and carol nothing'),
      demoCurl,
    ],
    'the demo app: `demo-app`, with the secret `demo-secret`': by.oauthTokens(
      'given the secret in the query, in two places or twice, when sent, then it is refused',
      'client_id=demo-app&client_secret=demo-secret',
    ),
    '`npm run token` prints a fresh token of whoever is named': by.oauth(
      'given the command that prints a token, when it is run, then the token is that person’s, with those scopes',
    ),
    'names, addresses, friends and trust of the three': [
      by.shapes('given GET /users/:user_id of $who, then all fields and is_friend $isFriend'),
      by.states(
        'given $condition, when $trigger is made, then it is $to',
        'the target is a friend who trusts the actor',
      ),
    ],
    'alice has a funding source': by.states(
      'given a pay above the balance and a funding source, then the source pays the whole of it',
    ),
    'carol has none': by.states('given a pay that fails, then no balance has moved'),
    'the demo app’s redirect address, `/developers/callback`, is a page that shows the token': by.oauth(
      'given the callback page, then it shows the token, and the base address is where it should be',
    ),
    '`DEMO=false` leaves it out; `DEV_TOOLS=true` beside it is an empty wallet to play with': [
      by.walkFromNothing(
        'given an empty data folder, when two strangers sign up, then both are there, and become friends',
      ),
      by.settingsTable('given DEMO=false and DEV_TOOLS=true, when read, then it is an empty wallet to play with'),
    ],
    '`DEV_TOOLS`: the mailbox page, test cards and verification of whoever has proven both': [
      by.claims('given a pay to a phone, when its owner signs up and proves it, then the money is theirs'),
      by.cards(
        'given a card, when added twice, then the first balance comes once, and what is beyond it is paid whole with the card',
      ),
      by.rateLimits(
        'given no provider of cards and no mail server, when one is needed, then 503, and the page says why',
        '/dev/mailbox',
      ),
    ],
    '`NODE_ENV=production`: no demo by default': [
      by.launcher('given production on an empty folder, when it runs, then nothing of the demo is there'),
      by.settingsTable('given what production needs, when read, then there is no demo'),
    ],
    '`NODE_ENV=production` with `DEMO` or `DEV_TOOLS` refuses to start': [
      production,
      by.settingsTable('given %s=%s, when read, then it refuses, naming that alone', "['DEMO', 'true']"),
    ],
    'the demo and `DEV_TOOLS` refuse to start where other machines can connect, unless `ALLOW_DEMO_ON_NETWORK=true`': [
      by.launcher(
        'given a public address alone, when it starts, then one line refuses the demo and names the settings',
      ),
      by.demoSettings('given %j, when read, then one line refuses the demo and names the ways out'),
    ],
    'demo secrets open nothing in production, whatever the database holds': [
      by.authStart(
        'given a database that held the demo, when started in production, then it says what to do and nothing runs',
      ),
    ],
    'test money never reaches production: a database is of the mode that it was first started in': [
      by.launcher(
        'given a folder that the developer tools filled, when it starts in production, then one line says what to do',
      ),
      by.databaseMode(
        'given a new database, when two start in one mode, then it is marked, and the other mode is refused with a way out',
      ),
      by.databaseMode('given a database with %s and no mark, when migrated, then its mode follows from that'),
    ],
    'in production `PUBLIC_URL` is https unless it is loopback': [
      production,
      by.settingsTable('given the loopback address %s without https, when read, then it is accepted'),
    ],
  },
};
