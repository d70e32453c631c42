import { openPools } from './open-pools.js';

describe('openPools', () => {
  it.each([1, 2, 5])(
    'given %s projections, when opened, then lease and listener have connections beside theirs',
    (count) => {
      const { live, sandbox } = openPools('postgres://127.0.0.1:1/none', count);
      expect([live, sandbox].map(({ projectionPool }) => projectionPool.options.max)).toEqual([count + 3, count + 2]);
    },
  );
});
