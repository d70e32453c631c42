import { describeQuickstart } from './guide.fixture.js';

// On a machine without curl, npm test leaves this file out and says so.
describeQuickstart({ name: 'with curl', page: 'quickstart/curl.md' });
