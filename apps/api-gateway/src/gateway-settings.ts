import type { Settings } from '@settle/config';

/** Under this token the module provides what controllers need of the settings. */
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
