import { LIMITS } from '@settle/config';
import { readPaymentsQuery } from '../parameters/list-queries.js';
import { queryParameters } from '../parameters/request-parameters.js';
import { nextPaymentsLink } from './next-link.js';

const PATH = '/sandbox/v1/payments';
const ID = '9223372036854775807';
const ids = (count: number) => Array.from({ length: count }, () => ID).join(',');
const next = { beforeUs: 1_700_000_000_000_001, beforeId: ID };
/** The access token that the client appends, with room for longer ones. */
const TOKEN = `&access_token=${'t'.repeat(256)}`;

/** Returns the link of a list that has a next page, as the controller builds it. */
function linkAfter(query: string): string {
  const parameters = queryParameters(`${PATH}?${query}`);
  const { limit } = readPaymentsQuery(parameters);
  return nextPaymentsLink(PATH, parameters, limit, { payments: [], next }) ?? '';
}

describe('the link to the next page of payments', () => {
  it('given lists in filters, when the link is built, then their commas stay as they are', () => {
    const link = linkAfter(`actor=${ids(2)}&status=settled%2Cpending`);
    expect(link).toContain(`&actor=${ids(2)}&status=settled,pending`);
  });

  // Shows parameter-58
  it('given the longest filters that are accepted, when the link is followed with a token, then the server accepts it', () => {
    const most = LIMITS.gateway.listedValues;
    const statuses = Array.from({ length: most }, () => 'cancelled').join(',');
    const link = linkAfter(
      `actor=${ids(most)}&status=${statuses}&action=charge&limit=100000&after=2026-01-31T10:00:00.123456789-10:00`,
    );
    expect((link + TOKEN).length).toBeLessThanOrEqual(LIMITS.gateway.urlBytes);
    expect(linkAfter(link.slice(PATH.length + 1))).toBe(link);
  });

  // Shows parameter-58
  it.each(['actor', 'status'])('given one value more in %s, when the list is read, then it is refused', (name) => {
    const value = name === 'actor' ? ID : 'settled';
    const tooMany = Array.from({ length: LIMITS.gateway.listedValues + 1 }, () => value).join(',');
    expect(() => linkAfter(`${name}=${tooMany}`)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(name) as string }) as Error,
    );
  });
});
