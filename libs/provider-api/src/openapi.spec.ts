import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseCharge } from './objects.js';
import { providerOpenApi } from './openapi.js';

describe('the OpenAPI document of the provider', () => {
  it('given the document, when it is checked, then it is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(providerOpenApi()));
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it('given charges, when they are checked by its schema and by the parser, then both agree', () => {
    const { components } = providerOpenApi() as { components: { schemas: Record<string, object> } };
    const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(components.schemas['Charge'] ?? {});
    const charge = {
      key: 'p1:u1:1',
      id: 'ch_1',
      kind: 'charge',
      state: 'action_required',
      amount: 1,
      currency: 'USD',
      code: null,
      next_action: { url: 'https://pages.example/1', expires_at: '2027-01-15T08:00:00Z' },
      version: 1,
      created_at: '2027-01-15T08:00:00Z',
      updated_at: '2027-01-15T08:00:00Z',
      live: true,
    };
    const changes = [{}, { code: 'limit' }, { code: 'other code' }, { amount: -1 }, { key: '../x' }, { live: 'yes' }];
    for (const change of changes) {
      const value = { ...charge, ...change };
      expect(isValid(value)).toBe(parseCharge(value) !== null);
    }
  });
});
