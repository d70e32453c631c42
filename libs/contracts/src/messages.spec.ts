import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import {
  ActOnPayment,
  AddFunds,
  CheckToken,
  CreatePayment,
  GetBalance,
  GetPayment,
  GetProfile,
  ListFriends,
  ListPayments,
} from './index.js';

const alice = '1852942301724180481';
const bob = '1852942305918484482';
const commandId = '5f4a2c1e-7a55-4a9c-9a43-0d6c4f7f0001';
const MAX = Number.MAX_SAFE_INTEGER;

const BAD_IDS = ['', '7', '9223372036854775808', `${alice}0`, Number(alice), null, undefined, [alice], 'x'.repeat(18)];
const BAD_UUIDS = ['', 'x', `${commandId}0`, 5, null, undefined];
const BAD_INTEGERS = [1.5, '1', NaN, Infinity, null, undefined];
const BAD_APPS = ['', 'x'.repeat(65), 5, null, undefined];
const BAD_CHOICES = ['', 'x', 5, null, undefined, ['live'], ['pay']];
const BAD_AMOUNTS = [...BAD_INTEGERS, 0, -1, MAX + 1];
const BAD_LIMITS = [...BAD_INTEGERS, 0, 51];
const BAD_OPTIONAL_IDS = BAD_IDS.filter((value) => value !== null && value !== undefined);
const BAD_OPTIONAL_INTEGERS = [1.5, '1', true, []];

interface Case {
  readonly dto: new () => object;
  readonly good: object;
  /** Further payloads that pass, given as what differs. */
  readonly alsoGood?: readonly object[];
  readonly bad: Readonly<Record<string, readonly unknown[]>>;
}

const cases: readonly Case[] = [
  {
    dto: CreatePayment,
    good: {
      commandId,
      paymentId: bob,
      appId: 'demo-app',
      actorId: alice,
      target: { type: 'user', value: bob },
      action: 'pay',
      amountCents: 1,
      note: 'coffee',
      audience: null,
      medium: 'api',
      environment: 'live',
      beginBeforeMs: 1,
    },
    alsoGood: [
      { audience: 'friends', action: 'charge', environment: 'sandbox', medium: 'web', amountCents: MAX },
      { target: { type: 'email', value: 'bob@example.com' }, note: '😀'.repeat(280) },
    ],
    bad: {
      commandId: BAD_UUIDS,
      paymentId: BAD_IDS,
      appId: BAD_APPS,
      actorId: BAD_IDS,
      target: [
        undefined,
        null,
        [],
        'bob',
        {},
        { type: 'pigeon', value: 'x' },
        { type: 'user', value: '' },
        { type: 'user', value: 5 },
        { type: 'email', value: 'x'.repeat(321) },
      ],
      action: BAD_CHOICES,
      amountCents: BAD_AMOUNTS,
      note: ['', 'x'.repeat(1121), 5, null, undefined],
      audience: ['', 'everyone', 5],
      medium: BAD_CHOICES,
      environment: BAD_CHOICES,
      beginBeforeMs: BAD_INTEGERS,
    },
  },
  {
    dto: ActOnPayment,
    good: {
      commandId,
      paymentId: bob,
      action: 'approve',
      actorId: alice,
      appId: 'demo-app',
      environment: 'live',
      beginBeforeMs: 1,
    },
    alsoGood: [{ action: 'deny' }, { action: 'cancel' }],
    bad: {
      commandId: BAD_UUIDS,
      paymentId: BAD_IDS,
      action: BAD_CHOICES,
      actorId: BAD_IDS,
      appId: BAD_APPS,
      environment: BAD_CHOICES,
      beginBeforeMs: BAD_INTEGERS,
    },
  },
  {
    dto: AddFunds,
    good: { commandId, userId: alice, amountCents: 100 },
    bad: { commandId: BAD_UUIDS, userId: BAD_IDS, amountCents: BAD_AMOUNTS },
  },
  {
    dto: GetPayment,
    good: { paymentId: bob, viewerId: alice, environment: 'live' },
    bad: { paymentId: BAD_IDS, viewerId: BAD_IDS, environment: BAD_CHOICES },
  },
  {
    dto: ListPayments,
    good: {
      viewerId: alice,
      environment: 'live',
      action: null,
      actorIds: [],
      statuses: [],
      limit: 20,
      afterUs: null,
      beforeUs: null,
      beforeId: null,
    },
    alsoGood: [
      { action: 'charge', actorIds: [alice, bob], statuses: ['settled', 'pending'], limit: 50 },
      // The year 0001.
      { afterUs: -62_135_596_800_000_000, beforeUs: 1_800_000_000_000_000, beforeId: bob },
    ],
    bad: {
      viewerId: BAD_IDS,
      environment: BAD_CHOICES,
      action: ['', 'refund', 5],
      actorIds: [null, undefined, alice, [''], [5], [alice, 'x'], Array.from({ length: 5001 }, () => alice)],
      statuses: [null, undefined, 'settled', ['done'], [5]],
      limit: BAD_LIMITS,
      afterUs: BAD_OPTIONAL_INTEGERS,
      beforeUs: BAD_OPTIONAL_INTEGERS,
      beforeId: BAD_OPTIONAL_IDS,
    },
  },
  {
    dto: GetBalance,
    good: { userId: alice, environment: 'sandbox' },
    bad: { userId: BAD_IDS, environment: BAD_CHOICES },
  },
  { dto: GetProfile, good: { userId: alice, viewerId: bob }, bad: { userId: BAD_IDS, viewerId: BAD_IDS } },
  {
    dto: ListFriends,
    good: { userId: alice, limit: 1, after: null, before: null },
    alsoGood: [{ limit: 50, after: alice, before: bob }],
    bad: { userId: BAD_IDS, limit: BAD_LIMITS, after: BAD_OPTIONAL_IDS, before: BAD_OPTIONAL_IDS },
  },
  {
    dto: CheckToken,
    good: { tokenSha256: 'a1'.repeat(32) },
    bad: { tokenSha256: ['', 'a1'.repeat(31), 'a1'.repeat(33), 'g1'.repeat(32), 5, null, undefined] },
  },
];

/** The names of the properties that are refused. */
function refused(dto: Case['dto'], payload: object): string[] {
  const asReceived = JSON.parse(JSON.stringify(payload)) as object;
  return validateSync(plainToInstance(dto, asReceived), { forbidUnknownValues: true }).map((error) => error.property);
}

describe.each(cases.map((row) => ({ ...row, name: row.dto.name })))('message $name', ({ dto, good, alsoGood, bad }) => {
  it('given good examples, when judged, then each passes', () => {
    for (const change of [{}, ...(alsoGood ?? [])]) expect(refused(dto, { ...good, ...change })).toEqual([]);
  });

  it('given a property beside those of the contract, when judged, then it is passed over', () => {
    expect(refused(dto, { ...good, added: 'later' })).toEqual([]);
  });

  it('given an example, when its properties are listed, then the table has bad values for each', () => {
    expect(Object.keys(bad).toSorted()).toEqual(Object.keys(good).toSorted());
  });

  it.each(Object.keys(bad))('given bad values of %s, when judged, then it alone is refused', (property) => {
    for (const value of bad[property] ?? []) {
      expect({ value, refused: refused(dto, { ...good, [property]: value }) }).toEqual({ value, refused: [property] });
    }
  });
});
