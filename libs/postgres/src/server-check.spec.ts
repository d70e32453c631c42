import { findServerProblem } from './server-check.js';

const valid = { server_version_num: '150004', fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };

describe('serverProblem', () => {
  it('given version 15 with durable settings, when it is checked, then no problem is found', () => {
    expect(findServerProblem(valid)).toBeNull();
    expect(findServerProblem({ ...valid, synchronous_commit: 'local' })).toBeNull();
  });

  it('given version 14, when it is checked, then the problem names the oldest supported version', () => {
    expect(findServerProblem({ ...valid, server_version_num: '140011' })).toBe(
      'is PostgreSQL 14: 15 or newer is needed',
    );
  });

  it.each(['fsync', 'full_page_writes', 'synchronous_commit'])(
    'given %s=off, when it is checked, then the problem names the setting',
    (name) => {
      expect(findServerProblem({ ...valid, [name]: 'off' })).toContain(`${name}=off`);
    },
  );
});
