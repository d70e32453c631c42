import { IsIn, IsInt, Matches, MaxLength, Min, ValidateIf } from 'class-validator';
import { IsId, IsLine, IsName, IsNested } from './field-validators.js';
import { requestContract } from './message.js';
import { IsPlainText } from './plain-text.js';
import { TOPICS } from './topics.js';
import {
  ADDRESS_KINDS,
  AUDIENCES,
  type AddressKind,
  type Audience,
  type UserCard,
  type VerifiedAddress,
} from './users-state.js';

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
export class CreateAccount {
  @IsId()
  userId: string;

  @IsName(LONGEST_USERNAME)
  username: string;

  @IsName(LONGEST_FIELD)
  firstName: string;

  @IsName(LONGEST_FIELD)
  lastName: string;

  /** As its owner spells it. */
  @IsLine(LONGEST_ADDRESS)
  email: string;

  /** Microseconds since 1970. */
  @IsInt()
  @Min(1)
  provenAtUs: number;
}

/** Errors: `invalid_email`; `invalid_request` when the username is taken. Keyed by the person. */
export const createAccount = requestContract<CreateAccount, Account>(TOPICS.usersRequests, 'users.create-account');

export class GetAccount {
  @IsId()
  userId: string;
}

/** Errors: `resource_not_found`. Keyed by the person. */
export const getAccount = requestContract<GetAccount, Account>(TOPICS.usersRequests, 'users.account');

/** The profile of a user, complete. */
export class ChangeAccount {
  @IsId()
  userId: string;

  @IsName(LONGEST_FIELD)
  firstName: string;

  @IsName(LONGEST_FIELD)
  lastName: string;

  @IsPlainText()
  @MaxLength(LONGEST_ABOUT)
  about: string;

  @IsIn(AUDIENCES)
  defaultAudience: Audience;
}

/** Errors: `resource_not_found`. Keyed by the person. */
export const changeAccount = requestContract<ChangeAccount, Account>(TOPICS.usersRequests, 'users.change-account');

/** The address is this person's, as a code sent to it has shown. Of two proofs of one address the later one holds. */
export class VerifyAddress {
  @IsId()
  userId: string;

  @IsIn(ADDRESS_KINDS)
  kind: AddressKind;

  /** As its owner spells it. */
  @IsLine(LONGEST_ADDRESS)
  address: string;

  /** Microseconds since 1970. */
  @IsInt()
  @Min(1)
  provenAtUs: number;
}

/** Errors: `resource_not_found`, `invalid_email`, `invalid_phone`; `not_permitted` for one address too many. Keyed by the person. */
export const verifyAddress = requestContract<VerifyAddress, Account>(TOPICS.usersRequests, 'users.prove-address');

export class RemoveAddress {
  @IsId()
  userId: string;

  @IsIn(ADDRESS_KINDS)
  kind: AddressKind;

  /** Normalised. */
  @IsLine(LONGEST_ADDRESS)
  value: string;
}

/** Errors: `resource_not_found`; `not_permitted` for the last e-mail address. Keyed by the person. */
export const removeAddress = requestContract<RemoveAddress, Account>(TOPICS.usersRequests, 'users.remove-address');

/** A card that its provider has accepted, and all that we keep of it. */
export class FundingSource {
  /** The provider's name for it. */
  @IsLine(LONGEST_SOURCE_ID)
  id: string;

  @Matches(/^[0-9]{4}$/)
  lastFour: string;
}

/** Null: the person has none from now on. */
export class ChangeFundingSource {
  @IsId()
  userId: string;

  @ValidateIf((_, source) => source !== null)
  @IsNested(() => FundingSource)
  source: FundingSource | null;
}

/**
 * Answered once payments that begin go by it. Errors: `resource_not_found`; `outcome_unknown` where payments may not know
 * it yet: it is stored. Keyed by the person.
 */
export const changeFundingSource = requestContract<ChangeFundingSource, Account>(
  TOPICS.usersRequests,
  'users.change-funding-source',
);
