import type { AddressKind } from '@settle/contracts';

/** Decides, when a person has proven an address, whether it is now known who they are. */
export type IdentityCheck = (proven: readonly { readonly kind: AddressKind }[]) => boolean;

/** For trying things out: a user who has verified an e-mail address and a phone number counts as identified. */
export const believeBothProofs: IdentityCheck = (proven) =>
  proven.some(({ kind }) => kind === 'email') && proven.some(({ kind }) => kind === 'phone');

/** The operator looks into it and says so by a command. */
export const leaveToOperator: IdentityCheck = () => false;
