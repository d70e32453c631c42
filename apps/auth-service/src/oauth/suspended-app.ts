import { SettleError } from '@settle/contracts';

/** What people read who come from an app that an operator has suspended. */
export function appIsSuspended(): SettleError {
  return new SettleError(
    'not_permitted',
    'This app is suspended and gets no access. Its developer can ask the operator of this wallet.',
  );
}
