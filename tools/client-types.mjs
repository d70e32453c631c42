/** Generates the types of the client library `sdks/typescript` from the OpenAPI document. */
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

export const CLIENT_TYPES = 'sdks/typescript/src/openapi.generated.ts';

const HEAD = '// Made from docs/openapi.json by node tools/generate.mjs.\n';
const isAmount = ({ multipleOf }) => multipleOf === 0.01;

/** An amount is a decimal string in the client, so that no program computes with fractions in floating point. */
function amountAsString(schema) {
  if (!isAmount(schema)) return undefined;
  const text = ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
  const nothing = ts.factory.createLiteralTypeNode(ts.factory.createNull());
  return [schema.type].flat().includes('null') ? ts.factory.createUnionTypeNode([text, nothing]) : text;
}

/** Omits conditions between fields, which TypeScript cannot express, and the token, which the client sends as a header. */
function simplified({ allOf: _conditions, access_token: _token, ...schema }) {
  const entries = Object.entries(schema).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.map((one) => (Object(one) === one ? simplified(one) : one))];
    return [name, Object(value) === value ? simplified(value) : value];
  });
  return Object.fromEntries(entries);
}

/** Returns the names of the fields of responses that are amounts. */
function amountFields(schema) {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => (isAmount(field) ? [name] : []));
  const nested = Object.values(schema).flatMap((value) => (Object(value) === value ? amountFields(value) : []));
  return [...new Set([...own, ...nested])].sort();
}

/** Keeps of an operation that returns JSON its parameters, its JSON body and the body of its response. */
function keptOperation({ operationId, summary, parameters = [], requestBody, responses }) {
  const { schema } = responses['200'].content['application/json'];
  const body = requestBody?.content['application/json'] ?? requestBody?.content['application/x-www-form-urlencoded'];
  return {
    operationId,
    summary,
    parameters,
    ...(body === undefined ? {} : { requestBody: { content: { 'application/json': body } } }),
    responses: { 200: { description: summary, content: { 'application/json': { schema } } } },
  };
}

/** Returns the text of the generated file. @param document the OpenAPI document of the API */
export async function clientTypes(document) {
  const { Target, ...schemas } = document.components.schemas;
  // The alternatives repeat what its description says.
  const { oneOf: _alternatives, ...target } = Target;
  const components = { schemas: simplified({ ...schemas, Target: target }) };
  const isCalled = ({ responses }) => responses?.['200']?.content['application/json'] !== undefined;
  const paths = Object.entries(document.paths).flatMap(([path, operations]) => {
    const kept = Object.entries(operations).filter(([, operation]) => isCalled(operation));
    if (kept.length === 0) return [];
    return [[path, Object.fromEntries(kept.map(([method, operation]) => [method, keptOperation(operation)]))]];
  });
  const types = await openapiTS(
    { ...document, paths: Object.fromEntries(paths), components },
    { transform: amountAsString },
  );
  const fields = amountFields(components.schemas)
    .map((name) => `'${name}'`)
    .join(', ');
  return (
    `${HEAD}${astToString(types)}\n` +
    '/** The fields of responses that are amounts of money: JSON numbers of the API, decimal strings of the client. */\n' +
    `export const AMOUNT_FIELDS: ReadonlySet<string> = new Set([${fields}]);\n`
  );
}
