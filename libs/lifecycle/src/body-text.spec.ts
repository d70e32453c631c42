import { decodeBody, refuseEncodedBody } from './body-text.js';

const FORM = 'application/x-www-form-urlencoded';

describe('the text of a body', () => {
  it.each([
    [{}],
    [{ 'content-type': FORM }],
    [{ 'content-type': `${FORM}; charset=UTF-8` }],
    [{ 'content-encoding': 'identity' }],
    [{ 'content-encoding': 'IDENTITY' }],
  ])('given the headers %j, when they are checked, then the body is accepted', (headers) => {
    expect(() => refuseEncodedBody(headers)).not.toThrow();
  });

  it.each([
    [{ 'content-type': `${FORM}; charset=iso-8859-1` }],
    [{ 'content-type': `${FORM};charset="utf-16"` }],
    [{ 'content-encoding': 'gzip' }],
    [{ 'content-encoding': 'identity, gzip' }],
  ])('given the headers %j, when they are checked, then the body is refused', (headers) => {
    const refusal = expect.objectContaining({ code: 'unsupported_media_type' }) as Error;
    expect(() => refuseEncodedBody(headers)).toThrow(refusal);
  });

  it('given bytes, when they are decoded, then they must be UTF-8', () => {
    expect(decodeBody(Buffer.from('ü'))).toBe('ü');
    const refusal = expect.objectContaining({ code: 'invalid_request' }) as Error;
    expect(() => decodeBody(Buffer.from('ü', 'latin1'))).toThrow(refusal);
  });
});
