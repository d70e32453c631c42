import { userInfo } from 'node:os';

/**
 * Returns who runs an admin command, for the security log: the name that was given, else that of the user of the
 * operating system, or the number where the system has no name, as in some containers.
 */
export function operatorName(given: string | null): string {
  if (given !== null) return given;
  try {
    return userInfo()
      .username.replaceAll(/[^\w.-]/g, '_')
      .slice(0, 64);
  } catch {
    return `uid-${process.getuid?.()}`;
  }
}
