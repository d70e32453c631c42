/** The confirmations that pages show, by the value of their `done` query parameter. */
const CONFIRMATIONS = new Map([
  ['saved', 'Saved.'],
  ['proven', 'Address verified. Money that was sent to this address before is now yours.'],
  ['removed', 'Address removed.'],
  ['asked', 'Friend request sent.'],
  ['friends', 'You are now friends.'],
  ['card-removed', 'Card removed. Payments that exceed your balance will fail.'],
  ['source-added', 'Added. The list shows what it is for.'],
  ['source-verifying', 'Added. You can use it once the provider has verified it.'],
  ['source-pays', 'Saved. It pays for payments that exceed your balance.'],
  ['source-pays-only', 'Added for payments. Withdrawals cannot go to it: they need a card or account in your name.'],
  ['source-paid-out', 'Saved. Your withdrawals go there. None is paid out for 24 hours.'],
  ['source-removed', 'Removed. No money is taken from it or paid out to it.'],
  ['deposit-settled', 'Money added to your balance.'],
  ['deposit-pending', 'Requested. The list below shows when the money is in your balance.'],
  ['deposit-confirm', 'Your bank wants you to confirm this. Use the link in the list below.'],
  ['withdrawal-settled', 'Money paid out.'],
  ['withdrawal-pending', 'Withdrawal requested. The list below shows when it is paid out.'],
  ['withdrawal-review', 'Withdrawal requested. We check it before it is paid out; the list below shows the result.'],
  ['withdrawal-cancelled', 'Withdrawal cancelled. The money is in your balance.'],
  ['late', 'Saved. The change takes effect shortly.'],
  ['password', 'Password changed. All other browsers are signed out.'],
  ['password-and-apps', 'Password changed. All other browsers are signed out, and all apps have lost access.'],
  ['password-and-apps-late', 'Password changed. All apps lose access shortly.'],
  ['reset', 'Password changed. Sign in with your new password.'],
  ['disconnected', 'Access ended. The app can no longer use your wallet.'],
  ['app-saved', 'App saved.'],
  ['secret-ended', 'Former secret ended. Only the newest secret works now.'],
  ['newest-secret-ended', 'New secret ended. Only the former secret works now.'],
  ['app-deleted', 'App deleted. All its tokens are revoked.'],
  ['signed-out', 'You are signed out.'],
]);

export function getConfirmation(key: unknown): string | null {
  return (typeof key === 'string' && CONFIRMATIONS.get(key)) || null;
}
