/** Prints an access token of a Settle that runs with `DEV_TOOLS`. `npm run token -- --user alice --scope "..."`. */
import { parseArgs } from 'node:util';

const usage = `npm run token -- --user <name> [--password <password>] [--scope "<scopes>"] [--client <app id>] [--url <address>]`;

function readArguments() {
  const text = (value) => ({ type: 'string', ...(value === undefined ? {} : { default: value }) });
  const options = {
    user: text(),
    password: text('demo-password'),
    scope: text('make_payments access_profile'),
    client: text('demo-app'),
    url: text(),
  };
  const { values } = parseArgs({ options });
  if (values.user === undefined) throw new Error(`Whose token? ${usage}`);
  return values;
}

try {
  const { user, password, scope, client, url } = readArguments();
  const { readSettings } = await import('@settle/config');
  const { requestToken } = await import('@settle/launching');
  const origin = url === undefined ? readSettings(process.env).publicUrl : new URL(url).origin;
  const token = await requestToken(origin, { username: user, password, scope, client_id: client });
  process.stdout.write(`${token}\n`);
} catch (error) {
  const isAway = error.message === 'fetch failed';
  const reason = error.code === 'ERR_MODULE_NOT_FOUND' ? 'run `npm start` first, which builds it' : error.message;
  process.stderr.write(`There is no token: ${isAway ? 'nothing answers; is Settle running? See --url' : reason}\n`);
  process.exitCode = 1;
}
