import { KnownPaths } from './known-paths.js';

describe('paths that are known', () => {
  const known = new KnownPaths();
  known.add('/', ['GET']);
  known.add('/users/:id', ['GET']);
  known.add('/users/:id', ['PUT']);
  known.add('/files/*', ['GET']);

  it.each([
    ['/', 'GET, OPTIONS'],
    ['/users/7', 'GET, OPTIONS, PUT'],
    ['/files/a/b.css', 'GET, OPTIONS'],
    ['/users/7/friends', null],
    ['/users/', null],
    ['/users', null],
  ])('given %s, when asked what it takes, then %s', (path, allow) => {
    expect(known.allow(path)).toBe(allow);
  });
});
