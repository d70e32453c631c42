import type { Settings } from '@settle/config';

/** Injection token of the settings that controllers need. */
export const GATEWAY_SETTINGS = Symbol('gateway settings');

export type GatewaySettings = Pick<
  Settings,
  | 'host'
  | 'port'
  | 'publicUrl'
  | 'corsOrigins'
  | 'payments'
  | 'trustedProxies'
  | 'rateLimits'
  | 'requestsInProgress'
  | 'requestsInProgressPerAddress'
  | 'tokenGraceMs'
>;
