import type { AddressKind } from '@settle/contracts';

/** Decides after a verification whether the identity of the user is known. */
export type IdentityCheck = (proven: readonly { readonly kind: AddressKind }[]) => boolean;

/** For development: a user who has verified an e-mail address and a phone number counts as identified. */
export const acceptBothVerifications: IdentityCheck = (proven) =>
  proven.some(({ kind }) => kind === 'email') && proven.some(({ kind }) => kind === 'phone');

/** The operator checks the identity and sets the flag by a command. */
export const leaveToOperator: IdentityCheck = () => false;
