import { wholeNumber, yesOrNo } from './setting-parsers.js';
import { setting } from './setting.js';

/** Settings of app registration and of the lifetime of access. */
export const APP_SETTINGS = {
  allowHttpRedirects: setting('ALLOW_HTTP_REDIRECTS', yesOrNo, {
    default: 'false',
    meaning:
      'In production apps may register http redirect addresses beyond loopback only with `true`. Without it those on file ' +
      'go on working for 90 days.',
    readBy: 'all-in-one, auth-service',
  }),
  refreshFamilyDays: setting('REFRESH_FAMILY_DAYS', wholeNumber(1, 3650), {
    default: '365',
    meaning:
      'How many days after the user allowed it an app may renew its access; then the user is asked again. Tokens issued ' +
      'shortly before end with it.',
    readBy: 'all-in-one, auth-service',
  }),
};
