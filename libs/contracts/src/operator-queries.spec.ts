import { readAuditQuery, readFindQuery } from './operator-queries.js';

describe('the queries of operators', () => {
  it('given bounds, when the arguments of "audit" are parsed, then they are returned, and without them defaults', () => {
    expect(readAuditQuery(['audit'])).toEqual({ user: null, before: null, limit: 50 });
    const args = ['audit', '--user', 'alice', '--before=2026-03-01T00:00:00Z', '--limit', '1000'];
    expect(readAuditQuery(args)).toEqual({ user: 'alice', before: new Date('2026-03-01T00:00:00Z'), limit: 1_000 });
  });

  it.each([
    [['--limit', '0'], '--limit: "0" is not a number'],
    [['--limit', '1001'], '--limit: "1001" is not a number'],
    [['--limit', '1e2'], '--limit: "1e2" is not a number'],
    [['--before', 'yesterday'], '--before: "yesterday" is not a time'],
    [['--before', '2026-13-01'], '--before: "2026-13-01" is not a time'],
    [['alice'], "Unexpected argument 'alice'"],
    [['--all'], "Unknown option '--all'"],
  ])(
    'given %j, when the arguments of "audit" are parsed, then the error names the problem and the usage',
    (more, problem) => {
      const read = () => readAuditQuery(['audit', ...more]);
      expect(read).toThrow(problem);
      expect(read).toThrow('npm run admin -- audit');
    },
  );

  it('given one subject, when the arguments of "find" are parsed, then it is returned, otherwise the error shows the usage', () => {
    expect(readFindQuery(['find', ' a@example.com '])).toBe('a@example.com');
    for (const args of [['find'], ['find', ' '], ['find', 'a', 'b'], ['find', '--all']]) {
      expect(() => readFindQuery(args)).toThrow('npm run admin -- find');
    }
  });
});
