import { describeQuickstart } from './guide.fixture.js';
import { installedPackages } from './python-packages.fixture.js';

// On a machine without Python, npm test leaves this file out and says so.
describeQuickstart({ name: 'in Python', page: 'quickstart/python.md', env: installedPackages('.python') });
