import type { Settings } from '@settle/config';
import type { Logger, Metrics } from '@settle/observability';
import type { Pool } from 'pg';
import type { ProviderOptions } from './ledger/ledger-options.js';
import { ChangeCursor } from './provider/change-cursor.js';
import { FundingGate } from './provider/funding-gate.js';
import { ProviderClient } from './provider/provider-client.js';
import { requireProviderMode } from './provider/provider-mode.js';
import type { Clock } from './storage/clock.js';

const US_PER_MS = 1_000;

interface ConnectParts {
  readonly settings: Settings;
  /** Pool of the live environment. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  /** Called if the provider turns out to be the wrong one after the start. */
  readonly onFatal: (error: Error) => void;
}

export interface ConnectedProvider {
  readonly options: ProviderOptions;
  readonly gate: FundingGate;
  /** Ends requests in progress, whose callers get no answer. May be called again. */
  close(): Promise<void>;
}

/** Begins to ask the payment provider what it is, without a wait, and returns it; null if none is set. */
export function connectProvider({ settings, pool, clock, onFatal, ...parts }: ConnectParts): ConnectedProvider | null {
  const { nodeEnv, funding } = settings;
  const { provider, allowTestProvider, pageOrigins, waitMs, pendingMs } = funding;
  const { logger } = parts;
  if (provider === null) {
    if (nodeEnv === 'production') {
      logger.info('no payment provider is set (FUNDING_PROVIDER_URL): no source is charged and nothing is paid out');
    }
    return null;
  }
  const client = new ProviderClient({
    ...parts,
    provider,
    clock,
    pageOrigins,
    isChecked: () => gate.isChecked(),
  });
  const cursor = new ChangeCursor(pool);
  const gate: FundingGate = new FundingGate({
    readProvider: () => client.readProvider(),
    requireMode: ({ live: isLive }) => requireProviderMode(pool, { isLive, nodeEnv, allowTestProvider }),
    isReadToEnd: () => cursor.isReadToEnd(),
    logger,
    onRefused: (err) => {
      logger.fatal({ err }, 'the payment provider must not be used with this database: this process ends');
      onFatal(err);
    },
  });
  gate.start();
  let closed: Promise<unknown> | undefined;
  return {
    options: { provider: client, gate, waitMs, pendingUs: pendingMs * US_PER_MS },
    gate,
    close: async () => void (await (closed ??= Promise.all([client.close(), gate.stop()]))),
  };
}
