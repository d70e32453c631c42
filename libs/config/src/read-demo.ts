import { isReachableFromHereAlone } from './demo-settings.js';
import type { SettingsReader } from './settings-reader.js';
import { SETTINGS_TABLE as TABLE } from './settings-table.js';

/** Where the product listens, and what its links lead to. */
export interface Reach {
  readonly isProduction: boolean;
  readonly host: string;
  readonly publicUrl: string;
}

/** Whether there is a demo and developer tools. Refuses both in production, and where other machines can connect. */
export function readDemo(read: SettingsReader, reach: Reach): { readonly demo: boolean; readonly devTools: boolean } {
  const { isProduction } = reach;
  const demo = read.value(TABLE.demo) ?? !isProduction;
  const devTools = read.value(TABLE.devTools) ?? demo;
  const isAllowedOnNetwork = read.required(TABLE.allowDemoOnNetwork);
  if (isProduction) {
    if (demo) read.refuse(TABLE.demo, 'demo data has known passwords and is refused in production');
    if (devTools && read.value(TABLE.devTools)) {
      read.refuse(TABLE.devTools, 'developer tools show codes to any visitor and are refused in production');
    }
    if (isAllowedOnNetwork) read.refuse(TABLE.allowDemoOnNetwork, 'production has no demo and no developer tools');
    return { demo, devTools };
  }
  const host = read.value(TABLE.publishedHost) ?? reach.host;
  if ((demo || devTools) && !isAllowedOnNetwork && !isReachableFromHereAlone(reach.publicUrl, host)) {
    read.refuse(
      demo ? TABLE.demo : TABLE.devTools,
      'the demo has known passwords, the developer tools show codes and make money, and with this PUBLIC_URL or HOST ' +
        'other machines can connect; set NODE_ENV=production for real use, or ALLOW_DEMO_ON_NETWORK=true if all users ' +
        'on the network may use both',
    );
  }
  return { demo, devTools };
}
