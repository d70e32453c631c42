import { SettingsError } from '@settle/config';
import { createLogger } from '@settle/observability';
import { ProviderClient } from '../../provider/provider-client.js';
import type { FundingPlace } from './funding-place.js';

/** The provider as a command asks it. */
export type AskedProvider = Pick<ProviderClient, 'read' | 'charge' | 'repay'>;

export interface OpenedProvider {
  readonly provider: AskedProvider;
  readonly close: () => Promise<void>;
}

/** Connects to the provider of the settings. Error: none is set. */
export function openProvider({ settings: { funding }, clock }: FundingPlace): OpenedProvider {
  const { provider, pageOrigins } = funding;
  if (provider === null) throw new SettingsError(['FUNDING_PROVIDER_URL: it is needed here and not set']);
  const logger = createLogger({ level: 'error', service: 'funding' });
  const client = new ProviderClient({ provider, pageOrigins, clock, logger });
  return { provider: client, close: () => client.close() };
}
