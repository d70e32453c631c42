import { Matches, ValidateIf } from 'class-validator';
import { requestContract } from './message.js';
import {
  field,
  id,
  line,
  maxLengthRule,
  message,
  nested,
  oneOf,
  plainName,
  plainTextRule,
  timeUs,
} from './message-fields.js';
import { TOPICS } from './topics.js';
import { ADDRESS_KINDS, AUDIENCES, type Audience, type UserCard, type VerifiedAddress } from './users-state.js';

const LONGEST_FIELD = 100;
const LONGEST_USERNAME = 30;
const LONGEST_ABOUT = 500;
const LONGEST_ADDRESS = 320;
const LONGEST_SOURCE_ID = 200;

/** An account, as its own user sees it. */
export interface Account {
  readonly card: UserCard;
  readonly defaultAudience: Audience;
  /** Whether the user's identity was checked. */
  readonly isVerified: boolean;
  readonly isBusiness: boolean;
  /** A business that had access to the interface before it was closed to new ones. */
  readonly hasLegacyAccess: boolean;
  /** The address of this kind that other users may see; null: none. */
  readonly email: string | null;
  readonly phone: string | null;
  readonly addresses: readonly VerifiedAddress[];
  /**
   * The source of payments above the balance, or null. Its last digits are null if they are unknown. An earlier version
   * does not send its id.
   */
  readonly fundingSource: { readonly id?: string; readonly lastFour: string | null } | null;
}

/** Creates the account of a user who has just verified an e-mail address. Sent twice, it creates one account. */
export class CreateAccount extends message({
  userId: id,
  username: plainName(LONGEST_USERNAME),
  firstName: plainName(LONGEST_FIELD),
  lastName: plainName(LONGEST_FIELD),
  /** The address as its owner spells it. */
  email: line(LONGEST_ADDRESS),
  provenAtUs: timeUs,
}) {}

/** Errors: `invalid_email`; `invalid_request` when the username is taken. Keyed by the user. */
export const createAccount = requestContract<CreateAccount, Account>(TOPICS.usersRequests, 'users.create-account');

export class GetAccount extends message({
  userId: id,
}) {}

/** Errors: `resource_not_found`. Keyed by the user. */
export const getAccount = requestContract<GetAccount, Account>(TOPICS.usersRequests, 'users.account');

/** The complete profile of a user. */
export class ChangeAccount extends message({
  userId: id,
  firstName: plainName(LONGEST_FIELD),
  lastName: plainName(LONGEST_FIELD),
  about: field<string>(maxLengthRule(LONGEST_ABOUT), plainTextRule()),
  defaultAudience: oneOf(AUDIENCES),
}) {}

/** Errors: `resource_not_found`. Keyed by the user. */
export const changeAccount = requestContract<ChangeAccount, Account>(TOPICS.usersRequests, 'users.change-account');

/** Adds an address that the user has verified by a code. If two users verify one address, the later one has it. */
export class VerifyAddress extends message({
  userId: id,
  kind: oneOf(ADDRESS_KINDS),
  /** The address as its owner spells it. */
  address: line(LONGEST_ADDRESS),
  provenAtUs: timeUs,
}) {}

/** Errors: `resource_not_found`, `invalid_email`, `invalid_phone`; `not_permitted` for one address too many. Keyed by the user. */
export const verifyAddress = requestContract<VerifyAddress, Account>(TOPICS.usersRequests, 'users.prove-address');

export class RemoveAddress extends message({
  userId: id,
  kind: oneOf(ADDRESS_KINDS),
  /** The normalized address. */
  value: line(LONGEST_ADDRESS),
}) {}

/** Errors: `resource_not_found`; `not_permitted` for the last e-mail address. Keyed by the user. */
export const removeAddress = requestContract<RemoveAddress, Account>(TOPICS.usersRequests, 'users.remove-address');

/** A card or account that its provider has accepted: all that is stored of it. */
export class FundingSource extends message({
  /** The provider's name for it. */
  id: line(LONGEST_SOURCE_ID),
  /** Null: the provider does not say, or they are not digits. */
  lastFour: field<string | null>(
    Matches(/^[0-9]{4}$/),
    ValidateIf((_, lastFour) => lastFour !== null),
  ),
}) {}

/** Replaces the user's funding source; null removes it. */
export class ChangeFundingSource extends message({
  userId: id,
  source: field<FundingSource | null>(
    ...nested(FundingSource).rules,
    ValidateIf((_, source) => source !== null),
  ),
}) {}

/**
 * The response comes once new payments use the source. Errors: `resource_not_found`; `outcome_unknown` if the source is
 * stored and payments may not use it yet. Keyed by the user.
 */
export const changeFundingSource = requestContract<ChangeFundingSource, Account>(
  TOPICS.usersRequests,
  'users.change-funding-source',
);
