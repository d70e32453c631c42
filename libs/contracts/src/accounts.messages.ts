import { Matches, MaxLength, ValidateIf } from 'class-validator';
import { requestContract } from './message.js';
import { field, id, line, message, nested, oneOf, plainName, plainTextRule, timeUs } from './message-fields.js';
import { TOPICS } from './topics.js';
import { ADDRESS_KINDS, AUDIENCES, type Audience, type UserCard, type VerifiedAddress } from './users-state.js';

const LONGEST_FIELD = 100;
const LONGEST_USERNAME = 30;
const LONGEST_ABOUT = 500;
const LONGEST_ADDRESS = 320;
const LONGEST_SOURCE_ID = 200;

/** A person, as they see themselves. */
export interface Account {
  readonly card: UserCard;
  readonly defaultAudience: Audience;
  /** The user's identity was checked. */
  readonly isVerified: boolean;
  readonly isBusiness: boolean;
  /** A business that had access to the interface before it was closed to new ones. */
  readonly hasLegacyAccess: boolean;
  /** Those that others may be shown; null: none. */
  readonly email: string | null;
  readonly phone: string | null;
  readonly addresses: readonly VerifiedAddress[];
  /** The source of payments above the balance, or null. Its last digits are null if they are unknown. */
  readonly fundingSource: { readonly lastFour: string | null } | null;
}

/** A person who has just proven their e-mail address. Sent twice, it makes one person. */
export class CreateAccount extends message({
  userId: id,
  username: plainName(LONGEST_USERNAME),
  firstName: plainName(LONGEST_FIELD),
  lastName: plainName(LONGEST_FIELD),
  /** As its owner spells it. */
  email: line(LONGEST_ADDRESS),
  provenAtUs: timeUs,
}) {}

/** Errors: `invalid_email`; `invalid_request` when the username is taken. Keyed by the person. */
export const createAccount = requestContract<CreateAccount, Account>(TOPICS.usersRequests, 'users.create-account');

export class GetAccount extends message({
  userId: id,
}) {}

/** Errors: `resource_not_found`. Keyed by the person. */
export const getAccount = requestContract<GetAccount, Account>(TOPICS.usersRequests, 'users.account');

/** The profile of a user, complete. */
export class ChangeAccount extends message({
  userId: id,
  firstName: plainName(LONGEST_FIELD),
  lastName: plainName(LONGEST_FIELD),
  about: field<string>(MaxLength(LONGEST_ABOUT), plainTextRule()),
  defaultAudience: oneOf(AUDIENCES),
}) {}

/** Errors: `resource_not_found`. Keyed by the person. */
export const changeAccount = requestContract<ChangeAccount, Account>(TOPICS.usersRequests, 'users.change-account');

/** The address is this person's, as a code sent to it has shown. Of two proofs of one address the later one holds. */
export class VerifyAddress extends message({
  userId: id,
  kind: oneOf(ADDRESS_KINDS),
  /** As its owner spells it. */
  address: line(LONGEST_ADDRESS),
  provenAtUs: timeUs,
}) {}

/** Errors: `resource_not_found`, `invalid_email`, `invalid_phone`; `not_permitted` for one address too many. Keyed by the person. */
export const verifyAddress = requestContract<VerifyAddress, Account>(TOPICS.usersRequests, 'users.prove-address');

export class RemoveAddress extends message({
  userId: id,
  kind: oneOf(ADDRESS_KINDS),
  /** Normalised. */
  value: line(LONGEST_ADDRESS),
}) {}

/** Errors: `resource_not_found`; `not_permitted` for the last e-mail address. Keyed by the person. */
export const removeAddress = requestContract<RemoveAddress, Account>(TOPICS.usersRequests, 'users.remove-address');

/** A card that its provider has accepted, and all that we keep of it. */
export class FundingSource extends message({
  /** The provider's name for it. */
  id: line(LONGEST_SOURCE_ID),
  lastFour: field<string>(Matches(/^[0-9]{4}$/)),
}) {}

/** Null: the person has none from now on. */
export class ChangeFundingSource extends message({
  userId: id,
  source: field<FundingSource | null>(
    ...nested(FundingSource).rules,
    ValidateIf((_, source) => source !== null),
  ),
}) {}

/**
 * Answered once payments that begin go by it. Errors: `resource_not_found`; `outcome_unknown` where payments may not know
 * it yet: it is stored. Keyed by the person.
 */
export const changeFundingSource = requestContract<ChangeFundingSource, Account>(
  TOPICS.usersRequests,
  'users.change-funding-source',
);
