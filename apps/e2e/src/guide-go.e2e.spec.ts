import { describeQuickstart } from './guide.fixture.js';

// On a machine without Go, npm test leaves this file out and says so.
describeQuickstart({
  name: 'in Go',
  page: 'quickstart/go.md',
  env: { GOFLAGS: '', GOTOOLCHAIN: 'local', GOPROXY: 'off' },
  andThen: ' and the code is formatted',
  check: async (folder) => expect(await folder.run('gofmt', ['-l', 'quickstart-go'])).toBe(''),
});
