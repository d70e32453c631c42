/** Under these names the module gives what is no class of its own. */
export const SETTINGS = Symbol('Settings');
export const LOGGER = Symbol('Logger');
export const POOL = Symbol('Pool');
/** True in the embedded shape. */
export const IS_ONLY_INSTANCE = Symbol('is only instance');
