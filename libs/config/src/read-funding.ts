import { isLoopbackHost } from './setting-parsers.js';
import { fileSetting } from './setting.js';
import type { SettingsReader } from './settings-reader.js';
import { SETTINGS_TABLE as TABLE } from './settings-table.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The payment provider; null: none. Holds a secret: never log it. */
function readProvider(read: SettingsReader, isProduction: boolean) {
  const url = read.value(TABLE.providerUrl);
  const secret = read.value(TABLE.providerSecret);
  if (url === null) return null;
  if (!read.isWritten(TABLE.providerSecret)) {
    read.refuse(fileSetting(TABLE.providerSecret), 'it is needed with FUNDING_PROVIDER_URL');
  }
  if (isProduction && isClear(url) && !isLoopbackHost(new URL(url).hostname)) {
    read.refuse(TABLE.providerUrl, 'in production the provider must be reached over https');
  }
  /** `secret` as it is written in the file; `newestSecret` reads it again. */
  return Object.freeze({ url, secret: secret ?? '' });
}

/** Users enter card numbers on these pages. In development those of a provider on this machine need no setting. */
function readPageOrigins(read: SettingsReader, isProduction: boolean, providerUrl?: string): readonly string[] {
  const provider = !isProduction && providerUrl !== undefined ? new URL(providerUrl) : null;
  const origins =
    read.value(TABLE.pageOrigins) ?? (provider !== null && isLoopbackHost(provider.hostname) ? [provider.origin] : []);
  const isAllowed = (origin: string) => !isClear(origin) || (!isProduction && isLoopbackHost(new URL(origin).hostname));
  if (!origins.every(isAllowed)) {
    read.refuse(TABLE.pageOrigins, 'the pages must be https; only in development they may be on loopback without');
  }
  return Object.freeze([...origins]);
}

/** How money comes in from outside and goes out again. */
export function readFunding(read: SettingsReader, isProduction: boolean) {
  const provider = readProvider(read, isProduction);
  return Object.freeze({
    provider,
    allowTestProvider: read.required(TABLE.allowTestProvider),
    /** Origins of the provider's pages. */
    pageOrigins: readPageOrigins(read, isProduction, provider?.url),
    waitMs: read.required(TABLE.fundingWaitMs),
    pendingMs: read.required(TABLE.fundingPendingDays) * DAY_MS,
    withdrawalHoldMs: read.required(TABLE.withdrawalHoldHours) * HOUR_MS,
    sourcePerDayCents: read.required(TABLE.sourcePerDayCents),
    withdrawPerDayCents: read.required(TABLE.withdrawPerDayCents),
    withdrawReviewCents: read.required(TABLE.withdrawReviewCents),
    /** Where payments-service receives callbacks. Port 0: a free one. */
    callbacks: Object.freeze({ host: read.required(TABLE.callbacksHost), port: read.required(TABLE.callbacksPort) }),
    /** Where a gateway in another process sends callbacks; null: it answers 404. */
    callbacksUrl: read.value(TABLE.callbacksUrl),
  });
}

function isClear(url: string): boolean {
  return url.startsWith('http://');
}
