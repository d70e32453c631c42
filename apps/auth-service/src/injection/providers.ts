/** Injection tokens of providers that are not classes. */
export const SETTINGS = Symbol('Settings');
export const LOGGER = Symbol('Logger');
export const POOL = Symbol('Pool');
/** True in the embedded shape, in which no other instance uses the database. */
export const IS_ONLY_INSTANCE = Symbol('is only instance');
