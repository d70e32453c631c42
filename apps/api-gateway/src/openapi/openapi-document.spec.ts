import { Validator } from '@seriousme/openapi-schema-validator';
import { readSettings } from '@settle/config';
import { ERROR_CATALOGUE, type ErrorCode } from '@settle/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApiDocument } from './openapi-document.js';
import { OPERATIONS } from './operations.js';

const document = openApiDocument(
  readSettings({ PUBLIC_URL: 'https://pay.example.com', MAX_AMOUNT: '50.00', DEMO: 'false' }),
);
const { components, info, paths } = document as {
  paths: Record<string, Record<string, { responses?: object }>>;
  components: {
    schemas: Record<string, { examples?: unknown[] }>;
    examples: Record<string, { value: unknown }>;
    securitySchemes: { oauth2: { flows: { implicit: { authorizationUrl: string } } } };
  };
  info: { description: string };
};

describe('the OpenAPI document', () => {
  // Shows limit-29
  it('given the official schema of OpenAPI 3.1, when the document is held against it, then it fits', async () => {
    const validator = new Validator();
    await expect(validator.validate(document)).resolves.toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('given its schemas, when they are compiled strictly, then they can be and their examples fit', () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, multipleOfPrecision: 6 });
    formats.default(ajv);
    ajv.addVocabulary(Object.keys(document));
    ajv.addSchema({ $id: 'document', ...document }, undefined, undefined, false);
    for (const [name, { examples = [] }] of Object.entries(components.schemas)) {
      const isValid = ajv.compile({ $ref: `document#/components/schemas/${name}` });
      for (const example of examples) expect([name, isValid(example), isValid.errors]).toEqual([name, true, null]);
    }
  });

  // Shows error-2
  it.each(Object.entries(ERROR_CATALOGUE))(
    'given the code %s, when the document is read, then its status, meaning and an example are there',
    (code, { status, meaning }) => {
      expect(info.description).toContain(`| ${status} | \`${code}\` | ${meaning} |`);
      expect(components.examples[code]?.value).toEqual({ error: { message: expect.stringMatching(/\.$/), code } });
    },
  );

  it('given a public address and a maximum of its own, when the document is made, then it names them', () => {
    expect(document['servers']).toEqual([
      { url: 'https://pay.example.com/v1', description: 'Real money' },
      { url: 'https://pay.example.com/sandbox/v1', description: 'The sandbox' },
    ]);
    const { securitySchemes, schemas } = components;
    expect(securitySchemes.oauth2.flows.implicit.authorizationUrl).toBe('https://pay.example.com/v1/oauth/authorize');
    expect(schemas['NewPayment']).toHaveProperty(
      'properties.amount.description',
      expect.stringContaining('at most 50 '),
    );
  });

  it('given the codes of every call, when they are read, then none stands twice', () => {
    for (const { refusals = [] } of OPERATIONS) expect(new Set<ErrorCode>(refusals).size).toBe(refusals.length);
  });

  it('given any call or page, when it is read, then every status of what any request may be refused with is there', () => {
    const ofAny = ['400', '413', '414', '429', '431', '500', '503'];
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const documented = operations.flatMap(({ responses }) => (responses === undefined ? [] : [Object.keys(responses)]));
    expect(documented.filter((statuses) => !ofAny.every((status) => statuses.includes(status)))).toEqual([]);
  });

  it('given before_id of the list of payments, when it is read, then it says that it needs before', () => {
    const { parameters = [] } = paths['/payments']?.['get'] as { parameters?: { name: string; description: string }[] };
    const description = parameters.find(({ name }) => name === 'before_id')?.description;
    expect(description).toContain('Needs `before`: without it 400 `invalid_request`.');
  });

  it.each([
    ['NewPayment', 'access_token'],
    ['PaymentChange', 'access_token'],
    ['User', 'email'],
    ['User', 'phone'],
  ])('given %s, when its field %s is read, then it may be null', (name, field) => {
    const { properties } = components.schemas[name] as { properties?: Record<string, { type: unknown }> };
    expect(properties?.[field]?.type).toContainEqual('null');
  });
});
