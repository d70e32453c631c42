/**
 * The API as a Postman collection (format 2.1, which Bruno, Insomnia and others import), made from the OpenAPI document: one
 * request for each operation, with the variables `baseUrl` and `accessToken`.
 */

export const POSTMAN_COLLECTION = 'docs/settle.postman_collection.json';

const FORM = 'application/x-www-form-urlencoded';
/** Values of a first payment; the other optional parameters are there and switched off. */
const VALUES = {
  ...{ user_id: '1852942305918484482', amount: '5.00', note: 'Coffee', payment: '{{paymentId}}', action: 'approve' },
  ...{ client_id: '{{clientId}}', client_secret: '{{clientSecret}}', token: '{{accessToken}}' },
  ...{ code: '{{code}}', refresh_token: '{{refreshToken}}', scope: 'make_payments,access_profile,access_balance' },
  ...{ response_type: 'code', access_token: '{{accessToken}}' },
  'Idempotency-Key': '{{$guid}}',
};
/** Optional parameters that are sent all the same. */
const SENT = new Set([
  ...['createPayment:user_id', 'createPayment:Idempotency-Key', 'changePayment:Idempotency-Key'],
  ...['authorize:response_type', 'getTokens:client_id', 'getTokens:client_secret', 'getTokens:code'],
  ...['revoke:client_id', 'revoke:client_secret'],
]);
const CREDENTIALS = { accessToken: '', clientId: 'demo-app', clientSecret: 'demo-secret', code: '', refreshToken: '' };

/** Returns a schema without `$ref`. */
function resolve(document, schema) {
  if (schema.$ref === undefined) return schema;
  return document.components.schemas[schema.$ref.split('/').at(-1)];
}

function parameter({ operationId }, { name, description = '', isRequired }) {
  const isSent = isRequired || SENT.has(`${operationId}:${name}`);
  return { key: name, value: VALUES[name] ?? '', description, ...(isSent ? {} : { disabled: true }) };
}

/** Returns the parameters of an operation that are in this place: `path`, `query` or `header`. */
const parametersIn = (operation, place) =>
  (operation.parameters ?? [])
    .filter((one) => one.in === place)
    .map(({ name, description, required }) =>
      parameter(operation, { name, description, isRequired: required === true || place === 'path' }),
    );

/** Returns the fields of a form. Where only one of several fields is required, those of `SENT` are. */
function formBody(document, operation) {
  const content = operation.requestBody?.content[FORM];
  if (content === undefined) return {};
  const { properties, required = [] } = resolve(document, content.schema);
  const fields = Object.entries(properties).map(([name, schema]) =>
    parameter(operation, {
      name,
      description: resolve(document, schema).description,
      isRequired: required.includes(name),
    }),
  );
  return { body: { mode: 'urlencoded', urlencoded: fields } };
}

/** Returns the authorization of a request, if it is not the access token. */
function authorization({ security = [] }) {
  const needsToken = security.some((one) => 'header' in one);
  return needsToken ? {} : { auth: { type: 'noauth' } };
}

function request(document, { path, method, servers }) {
  const operation = document.paths[path][method];
  const base = servers === undefined ? '{{baseUrl}}' : '{{origin}}';
  const segments = path
    .replace(/\{(\w+)\}/g, ':$1')
    .split('/')
    .slice(1);
  const query = parametersIn(operation, 'query');
  const sent = query.filter(({ disabled }) => disabled !== true).map(({ key, value }) => `${key}=${value}`);
  const raw = [`${base}/${segments.join('/')}`, ...(sent.length === 0 ? [] : [sent.join('&')])].join('?');
  const url = { raw, host: [base], path: segments, query, variable: parametersIn(operation, 'path') };
  const { summary: name, operationId: id, description = '' } = operation;
  return {
    id,
    name,
    request: {
      ...{ method: method.toUpperCase(), description, ...authorization(operation) },
      ...{ header: parametersIn(operation, 'header'), url, ...formBody(document, operation) },
    },
  };
}

/** Returns the collection. Its addresses are those of the first server of the document. */
export function postmanCollection(document) {
  const [{ url: baseUrl }] = document.servers;
  const variables = { baseUrl, origin: new URL(baseUrl).origin, ...CREDENTIALS, paymentId: '' };
  const operations = Object.entries(document.paths).flatMap(([path, { servers, ...methods }]) =>
    Object.entries(methods).map(([method, { tags }]) => ({ path, method, servers, tag: tags[0] })),
  );
  return {
    info: {
      name: document.info.title,
      description: 'Set the variable `accessToken`: npm run token -- --user alice',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{accessToken}}', type: 'string' }] },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value })),
    item: document.tags.map(({ name }) => ({
      name,
      item: operations.filter(({ tag }) => tag === name).map((operation) => request(document, operation)),
    })),
  };
}
