/**
 * Returns what a program that a spec starts takes over from the spec's own environment. Every setting is for the spec to name.
 * Compiled code is kept, because most of such a program's time is its start.
 */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
