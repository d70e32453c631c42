import { isLoopbackHost } from './setting-parsers.js';
import type { SettingsReader } from './settings-reader.js';
import { SETTINGS_TABLE as TABLE } from './settings-table.js';

/** Whether there is a demo and developer tools. Refuses both in production, and where other machines can connect. */
export function readDemo(
  read: SettingsReader,
  {
    isProduction,
    host,
    publicUrl,
  }: { readonly isProduction: boolean; readonly host: string; readonly publicUrl: string },
) {
  const demo = read.value(TABLE.demo) ?? !isProduction;
  const devTools = read.value(TABLE.devTools) ?? demo;
  const isAllowedOnNetwork = read.required(TABLE.allowDemoOnNetwork);
  const referenceProvider = readReferenceProvider(read, devTools);
  if (isProduction) {
    if (demo) read.refuse(TABLE.demo, 'demo data has known passwords and is refused in production');
    if (devTools && read.value(TABLE.devTools)) {
      read.refuse(TABLE.devTools, 'developer tools show codes to any visitor and are refused in production');
    }
    if (isAllowedOnNetwork) read.refuse(TABLE.allowDemoOnNetwork, 'production has no demo and no developer tools');
    return { demo, devTools, referenceProvider };
  }
  const isLocal = [new URL(publicUrl).hostname, read.value(TABLE.publishedHost) ?? host].every(isLoopbackHost);
  if ((demo || devTools) && !isAllowedOnNetwork && !isLocal) {
    read.refuse(
      demo ? TABLE.demo : TABLE.devTools,
      'the demo has known passwords, the developer tools show codes and make money, and with this PUBLIC_URL or HOST ' +
        'other machines can connect; set NODE_ENV=production for real use, or ALLOW_DEMO_ON_NETWORK=true if all users ' +
        'on the network may use both',
    );
  }
  return { demo, devTools, referenceProvider };
}

/** Whether the reference provider starts. Refused without the developer tools, and so in production. */
function readReferenceProvider(read: SettingsReader, devTools: boolean): boolean {
  const isWanted = read.value(TABLE.referenceProvider) ?? (devTools && !read.isWritten(TABLE.providerUrl));
  if (isWanted && !devTools) {
    read.refuse(TABLE.referenceProvider, 'the reference provider makes test money and needs DEV_TOOLS=true');
  }
  return isWanted;
}
