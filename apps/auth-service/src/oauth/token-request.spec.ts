import { readClientCredentials } from './client-credentials.js';
import { readTokenRequest } from './token-request.js';

const form = (fields: Record<string, string>) => new Map(Object.entries(fields));
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
const errorWith = (code: string) => expect.objectContaining({ code }) as Error;

describe('readTokenRequest', () => {
  it.each([
    [{ code: 'c' }, { kind: 'code', code: 'c', redirectUri: null, verifier: null }],
    [
      { grant_type: 'authorization_code', code: 'c', redirect_uri: 'u', code_verifier: 'v' },
      { kind: 'code', code: 'c', redirectUri: 'u', verifier: 'v' },
    ],
    [{ refresh_token: 'r' }, { kind: 'refresh_token', refreshToken: 'r', scope: null }],
    [
      { grant_type: 'refresh_token', refresh_token: 'r', scope: 's' },
      { kind: 'refresh_token', refreshToken: 'r', scope: 's' },
    ],
  ])('given %j, when the request is read, then its parameters are returned', (fields, request) => {
    expect(readTokenRequest(form(fields))).toEqual(request);
  });

  it.each([
    [{}, 'invalid_request'],
    [{ code: 'c', refresh_token: 'r' }, 'invalid_request'],
    [{ grant_type: 'refresh_token', code: 'c' }, 'invalid_request'],
    [{ grant_type: 'authorization_code', refresh_token: 'r' }, 'invalid_request'],
    [{ grant_type: 'password', username: 'alice', password: 'x' }, 'unsupported_grant_type'],
    [{ grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [{ grant_type: 'toString', code: 'c' }, 'unsupported_grant_type'],
  ])('given %j, when the request is read, then the error is %s', (fields, code) => {
    expect(() => readTokenRequest(form(fields))).toThrow(errorWith(code));
  });
});

describe('readClientCredentials', () => {
  it.each([
    [{ client_id: 'a', client_secret: 's' }, undefined, { clientId: 'a', secret: 's' }],
    [{ client_id: 'a' }, undefined, { clientId: 'a', secret: null }],
    [{}, basic('a:s'), { clientId: 'a', secret: 's' }],
    [{ client_id: 'a' }, basic('a:'), { clientId: 'a', secret: null }],
    [{}, basic('a%3Ab:s+%2B:x'), { clientId: 'a:b', secret: 's +:x' }],
    [{}, basic('a:s').replace('Basic', 'basic'), { clientId: 'a', secret: 's' }],
  ])(
    'given the form %j and the header %s, when they are read, then the credentials are returned',
    (fields, header, credentials) => {
      expect(readClientCredentials(form(fields), header)).toEqual(credentials);
    },
  );

  it.each([
    [{}, undefined, 'invalid_client'],
    [{ client_secret: 's' }, undefined, 'invalid_client'],
    [{}, 'Bearer x', 'invalid_client'],
    [{}, 'Basic %%%', 'invalid_client'],
    [{}, basic('nothing-else'), 'invalid_client'],
    [{}, basic(':s'), 'invalid_client'],
    [{}, basic('a:%zz'), 'invalid_client'],
    [{ client_secret: 's' }, basic('a:s'), 'invalid_request'],
    [{ client_id: 'b' }, basic('a:s'), 'invalid_request'],
  ])('given the form %j and the header %s, when they are read, then the error is %s', (fields, header, code) => {
    expect(() => readClientCredentials(form(fields), header)).toThrow(errorWith(code));
  });
});
