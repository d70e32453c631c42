import { specsOf } from './chapter.js';

/** Over HTTP, on the running product. */
const overHttp = (name: string) => specsOf(`apps/e2e/src/${name}.e2e.spec.ts`);
export const addresses = overHttp('addresses');
export const amounts = overHttp('amounts');
export const authorization = overHttp('authorization');
export const claims = overHttp('claims');
export const contention = overHttp('contention');
export const crash = overHttp('crash');
export const crashWithKeys = overHttp('crash-with-keys');
export const flags = overHttp('flags');
export const heldPays = overHttp('held-pays');
export const idempotency = overHttp('idempotency');
export const idsAndWords = overHttp('ids-and-words');
export const lists = overHttp('lists');
export const oauth = overHttp('oauth');
export const openapi = overHttp('openapi');
export const order = overHttp('order-of-checks');
export const parameters = overHttp('parameters');
export const processes = overHttp('processes.stack');
export const rateLimits = overHttp('rate-limits');
export const reads = overHttp('reads');
export const refusals = overHttp('refusals');
export const requests = overHttp('requests');
export const sandbox = overHttp('sandbox');
export const settings = overHttp('settings');
export const shapes = overHttp('shapes');
export const states = overHttp('states');
export const launcher = specsOf('apps/all-in-one/src/launcher.e2e.spec.ts');

/** Parts of the product, with what they need for real. */
const gateway = (name: string) => specsOf(`apps/api-gateway/src/${name}.spec.ts`);
export const authorizationTable = gateway('authorization-table');
export const gatewayStart = gateway('start-api-gateway');
export const gatewayRefusals = gateway('refusals');
export const gatewayLifecycle = gateway('lifecycle');
export const gatewayKeys = gateway('idempotency');
export const gatewayLimits = gateway('limits/rate-limits');
export const answers = gateway('answers/answers');
export const isoDate = gateway('iso-date');
export const rawRequests = gateway('raw-requests');
export const slowRequests = gateway('slow-requests');
export const reference = gateway('reference');
export const fuzz = gateway('request-fuzz');
export const openApiDocument = gateway('openapi/openapi-document');
export const parameterRules = gateway('requests/parameter-rules');

const ledger = (name: string) => specsOf(`apps/payments-service/src/ledger-lab/${name}.int.spec.ts`);
export const acting = ledger('acting');
export const creating = ledger('creating');
export const deliveredTwice = ledger('delivered-twice');
export const expiryAndClaims = ledger('expiry-and-claims');
export const funding = ledger('funding-and-fees');
export const ledgerLists = ledger('lists');
export const stoppedProcess = ledger('stopped-process');
export const races = ledger('races');
export const sandboxLedger = ledger('sandbox');
export const environments = ledger('environments');
export const publisher = specsOf('apps/payments-service/src/publishing/publisher.int.spec.ts');
export const keyRows = specsOf('apps/payments-service/src/idempotency/key-rows.int.spec.ts');
export const keyedCommands = specsOf('apps/payments-service/src/idempotency/keyed-commands.int.spec.ts');
export const clock = specsOf('apps/payments-service/src/clock.spec.ts');
export const expiryOfMany = specsOf('apps/payments-service/src/worker/expiry-of-many.kafka.spec.ts');
export const listPlans = specsOf('apps/payments-service/src/projections/payments/list-plans.int.spec.ts');
export const untilKnown = specsOf('apps/payments-service/src/people/until-known.int.spec.ts');
export const worker = specsOf('apps/payments-service/src/worker/worker.int.spec.ts');
export const decisions = specsOf('libs/payments-domain/src/payment-decisions.spec.ts');
export const payment = specsOf('libs/payments-domain/src/payment.spec.ts');
export const money = specsOf('libs/payments-domain/src/money.spec.ts');

export const authorizationFlow = specsOf('apps/auth-service/src/authorization-flow.int.spec.ts');
export const redirects = specsOf('apps/auth-service/src/redirects.int.spec.ts');
export const signIn = specsOf('apps/auth-service/src/sign-in-and-forms.int.spec.ts');
export const throttle = specsOf('apps/auth-service/src/sign-in/sign-in-throttle.int.spec.ts');
export const authStart = specsOf('apps/auth-service/src/starting.int.spec.ts');
export const ownPath = specsOf('apps/auth-service/src/pages/own-path.spec.ts');
export const passwordRules = specsOf('apps/auth-service/src/sign-in/password-rules.spec.ts');
export const signUpRules = specsOf('apps/auth-service/src/sign-up/sign-up-rules.spec.ts');
export const accounts = specsOf('apps/users-service/src/accounts.int.spec.ts');
export const people = specsOf('apps/users-service/src/people.int.spec.ts');

export const untilPaymentsKnow = specsOf('apps/users-service/src/until-payments-know.spec.ts');

export const ids = specsOf('libs/contracts/src/ids.spec.ts');
export const errors = specsOf('libs/contracts/src/errors.spec.ts');
export const settingsTable = specsOf('libs/config/src/settings.spec.ts');
export const errorExamples = specsOf('tools/error-examples.spec.ts');
