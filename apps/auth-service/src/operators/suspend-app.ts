import { endAllAuthorizations } from './end-all-authorizations.js';
import { untilGatewaysAreTold } from './gateways-told.js';
import type { OperatorCommand } from './operator-command.js';

const SUSPEND = `
  with changed as (
    update apps set suspended_at = coalesce(suspended_at, now()) where client_id = $1 and deleted_at is null
    returning name)
  select name from changed`;
const RESUME = `
  with changed as (
    update apps set suspended_at = null where client_id = $1 and deleted_at is null and suspended_at is not null
    returning name)
  select name from changed`;
const FIND = 'select name from apps where client_id = $1 and deleted_at is null';
const FORGET_CONSENTS = 'delete from consents where app_id = $1';

type Named = readonly { readonly name: string }[];

/**
 * Suspends an app: it gets no new tokens, and all that it has end, with the consents that it would need no question for.
 * May be run again, and then ends what is left. Returns what to print once every gateway has been told. Errors: a line for
 * the operator; `outcome_unknown` when gateways are told late.
 */
export async function suspendApp({ dataSource, log }: OperatorCommand, appId: string): Promise<string> {
  // Waits for whoever is issuing; who comes later is refused. So what is ended below is all that there is.
  const [app] = await dataSource.query<Named>(SUSPEND, [appId]);
  if (app === undefined) throw noSuchApp(appId);
  await dataSource.query(FORGET_CONSENTS, [appId]);
  const count = await endAllAuthorizations(dataSource, { appId });
  log('operator_app_suspended', { appId, count });
  await untilGatewaysAreTold(dataSource, { appId });
  return `App ${appId} is suspended: ${count} authorizations have ended, with all their tokens\n`;
}

/** Ends the suspension of an app. What ended with it stays ended. Returns what to print. Errors: a line for the operator. */
export async function resumeApp({ dataSource, log }: OperatorCommand, appId: string): Promise<string> {
  const [resumed] = await dataSource.query<Named>(RESUME, [appId]);
  if (resumed === undefined) {
    if ((await dataSource.query<Named>(FIND, [appId])).length === 0) throw noSuchApp(appId);
    return `App ${appId} is not suspended\n`;
  }
  log('operator_app_resumed', { appId });
  return `App ${appId} may ask its users again: the tokens that it had stay ended\n`;
}

function noSuchApp(appId: string): Error {
  return new Error(`There is no app with the client_id "${appId}"`);
}
