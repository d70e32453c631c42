/** What pages say has just been done, by the word in their address. */
const DONE = new Map([
  ['saved', 'Saved.'],
  ['proven', 'Proven. What was sent to this address before is yours now.'],
  ['removed', 'Removed.'],
  ['asked', 'They are asked.'],
  ['friends', 'You are friends.'],
  ['card-added', 'Added. Payments beyond your balance are paid with it.'],
  ['card-removed', 'Removed. Payments beyond your balance fail from now on.'],
  ['late', 'This is stored, and takes effect shortly.'],
  ['password', 'Your password is changed. Whoever was signed in elsewhere is signed out.'],
  ['password-and-apps', 'Your password is changed. All other browsers are signed out, and all apps have lost access.'],
  ['password-and-apps-late', 'Your password is changed. All apps lose access shortly.'],
  ['reset', 'Your password is changed. Sign in with the new one.'],
  ['disconnected', 'Ended. Whatever the app held is refused from now on.'],
  ['app-saved', 'Saved.'],
  ['secret-ended', 'Ended. Only the newest secret works from now on.'],
  ['app-deleted', 'Deleted. Whatever the app held is refused from now on.'],
  ['signed-out', 'You are signed out.'],
]);

export function doneWords(word: unknown): string | null {
  return (typeof word === 'string' && DONE.get(word)) || null;
}
