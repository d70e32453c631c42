import { AUTHORIZATION, SCOPES } from './authorization.js';
import type { Chapter } from './chapter.js';
import { CREATING } from './creating.js';
import { ENDING } from './ending.js';
import { ENDPOINTS, LISTS } from './endpoints.js';
import { ERRORS } from './errors.js';
import { DEMO } from './demo.js';
import { HEADERS_AND_LIMITS } from './limits.js';
import { PARAMETERS } from './parameters.js';
import { PEOPLE } from './people.js';
import { KEYS, REQUESTS } from './requests.js';
import { PAYMENTS, USERS } from './resources.js';
import { SANDBOX } from './sandbox.js';
import { SERVER_SIDE_FLOW } from './server-side-flow.js';

/** All that the interface says, in the order of the page. */
export const CONFORMANCE: readonly Chapter[] = [
  REQUESTS,
  PARAMETERS,
  ENDPOINTS,
  LISTS,
  USERS,
  PAYMENTS,
  CREATING,
  ENDING,
  KEYS,
  PEOPLE,
  SANDBOX,
  AUTHORIZATION,
  SERVER_SIDE_FLOW,
  SCOPES,
  ERRORS,
  HEADERS_AND_LIMITS,
  DEMO,
];
