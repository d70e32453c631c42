import { yesOrNo, hostName } from './setting-parsers.js';
import { setting } from './setting.js';

/** Settings of a trial, which production never has. */
export const DEMO_SETTINGS = {
  demo: setting('DEMO', yesOrNo, {
    otherwise: '`true`; `false` in production, where `true` is refused',
    meaning:
      'Makes the people and the app of the demo at the first start. Refused where `PUBLIC_URL` or `HOST` lets other ' +
      'machines connect, unless `ALLOW_DEMO_ON_NETWORK` is set.',
    example: 'false',
  }),
  devTools: setting('DEV_TOOLS', yesOrNo, {
    otherwise: 'as `DEMO`; `false` in production, where `true` is refused',
    meaning:
      'The mailbox page, tokens from `npm run token`, the reference provider and automatic verification. Refused where ' +
      '`DEMO` is.',
    example: 'false',
  }),
  allowDemoOnNetwork: setting('ALLOW_DEMO_ON_NETWORK', yesOrNo, {
    default: 'false',
    meaning:
      'Starts the demo and the developer tools although other machines can connect: all users of that network can read ' +
      'all codes, sign in as the people of the demo and make test money. Refused in production.',
  }),
  referenceProvider: setting('REFERENCE_PROVIDER', yesOrNo, {
    otherwise: 'as `DEV_TOOLS`; `false` with `FUNDING_PROVIDER_URL`',
    meaning:
      'Starts the reference provider, a payment provider with test cards alone, beside the services and on loopback, and ' +
      'uses it unless `FUNDING_PROVIDER_URL` is set. Refused without `DEV_TOOLS`. Its own settings are in ' +
      '`apps/reference-provider/README.md`.',
    readBy: 'all-in-one, stack',
    example: 'false',
  }),
  publishedHost: setting('PUBLISHED_HOST', hostName, {
    otherwise: '`HOST`',
    meaning:
      "In a container: the address of the machine on which the container's port is published. It takes the place of " +
      '`HOST` where the start decides whether other machines can connect. `docker-compose.yml` sets it.',
    example: '127.0.0.1',
  }),
};
