import type { Settings } from './settings.js';

/** Whether the proxy that must be in front, as the address is https, is taken for the caller of every request. */
export function lacksTrustedProxies({
  publicUrl,
  trustedProxies,
}: Pick<Settings, 'publicUrl' | 'trustedProxies'>): boolean {
  return trustedProxies === 0 && publicUrl.startsWith('https://');
}
