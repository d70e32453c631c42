import { findAccessToken } from './access-token.js';

describe('the access token of a request', () => {
  it.each([
    ['a parameter alone', { access_token: 't' }, undefined],
    ['the header alone', {}, 'Bearer t'],
    ['the header and an empty parameter', { access_token: '' }, 'Bearer t'],
    ['the header and a null', { access_token: null }, 'Bearer t'],
    ['a parameter and a header without a token', { access_token: 't' }, 'Bearer'],
  ])('given %s, when the token is read, then it is found', (_name, parameters, authorization) => {
    expect(findAccessToken(parameters, authorization)).toBe('t');
  });

  it.each([
    ['two places', { access_token: 't' }, 'Bearer t', 'invalid_request'],
    ['a number', { access_token: 5 }, undefined, 'invalid_request'],
    ['a number beside the header', { access_token: 5 }, 'Bearer t', 'invalid_request'],
    ['two empty places', { access_token: '' }, 'Bearer ', 'missing_token'],
    ['no place', {}, undefined, 'missing_token'],
  ])('given %s, when the token is read, then it is refused', (_name, parameters, authorization, code) => {
    expect(() => findAccessToken(parameters, authorization)).toThrow(expect.objectContaining({ code }) as Error);
  });
});
