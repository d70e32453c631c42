/** Under these names the module gives what is no class of its own. */
export const SETTINGS = Symbol('Settings');
export const LOGGER = Symbol('Logger');
export const POOL = Symbol('Pool');
