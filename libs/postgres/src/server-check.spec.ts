import { serverProblem } from './server-check.js';

const sound = { server_version_num: '150004', fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };

describe('serverProblem', () => {
  it('given version 15 with durable settings, when it is checked, then there is none', () => {
    expect(serverProblem(sound)).toBeNull();
    expect(serverProblem({ ...sound, synchronous_commit: 'local' })).toBeNull();
  });

  it('given version 14, when it is checked, then the oldest that will do is named', () => {
    expect(serverProblem({ ...sound, server_version_num: '140011' })).toBe('is PostgreSQL 14: 15 or newer is needed');
  });

  it.each(['fsync', 'full_page_writes', 'synchronous_commit'])(
    'given %s off, when it is checked, then it is named',
    (name) => {
      expect(serverProblem({ ...sound, [name]: 'off' })).toContain(`${name}=off`);
    },
  );
});
