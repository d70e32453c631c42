/** The message for a user, or for an app that acts for one, while the account is frozen for reading. */
export const FROZEN_FOR_READING = 'Your account is frozen, for reading as well. Ask support to lift it.';
