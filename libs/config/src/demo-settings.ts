import { isLoopbackHost, yesOrNo, hostName } from './setting-parsers.js';
import { setting } from './setting.js';

/** Settings of a trial, which production never has. */
export const DEMO_SETTINGS = {
  demo: setting({
    name: 'DEMO',
    default: null,
    otherwise: '`true`; `false` in production, where `true` is refused',
    meaning:
      'Makes the people and the app of the demo at the first start. Refused where `PUBLIC_URL` or `HOST` lets other ' +
      'machines connect, unless `ALLOW_DEMO_ON_NETWORK` is set.',
    expects: 'true or false',
    example: 'false',
    parse: yesOrNo,
  }),
  devTools: setting({
    name: 'DEV_TOOLS',
    default: null,
    otherwise: 'as `DEMO`; `false` in production, where `true` is refused',
    meaning:
      'The mailbox page, tokens from `npm run token`, test cards and automatic verification. Refused where `DEMO` is.',
    expects: 'true or false',
    example: 'false',
    parse: yesOrNo,
  }),
  allowDemoOnNetwork: setting({
    name: 'ALLOW_DEMO_ON_NETWORK',
    default: 'false',
    meaning:
      'Starts the demo and the developer tools although other machines can connect: all users of that network can read ' +
      'all codes, sign in as the people of the demo and make test money. Refused in production.',
    expects: 'true or false',
    example: 'false',
    parse: yesOrNo,
  }),
  publishedHost: setting({
    name: 'PUBLISHED_HOST',
    default: null,
    otherwise: '`HOST`',
    meaning:
      "In a container: the address of the machine on which the container's port is published. It takes the place of " +
      '`HOST` where the start decides whether other machines can connect. `docker-compose.yml` sets it.',
    expects: 'a host name or an IP address',
    example: '127.0.0.1',
    parse: hostName,
  }),
};

/** Whether only this machine can reach what is published at `host` and linked to by `publicUrl`. */
export function isReachableFromHereAlone(publicUrl: string, host: string): boolean {
  return isLoopbackHost(new URL(publicUrl).hostname) && isLoopbackHost(host);
}
