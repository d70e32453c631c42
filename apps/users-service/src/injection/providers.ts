/** Injection tokens of providers that are not classes. */
export const SETTINGS = Symbol('Settings');
export const POOL = Symbol('Pool');
export const PROFILES = Symbol('Profiles');
