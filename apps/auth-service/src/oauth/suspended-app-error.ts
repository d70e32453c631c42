import { SettleError } from '@settle/contracts';

/** Returns the error for users who come from an app that an operator has suspended. */
export function createSuspendedAppError(): SettleError {
  return new SettleError(
    'not_permitted',
    'This app is suspended and gets no access. Its developer can ask the operator of this wallet.',
  );
}
