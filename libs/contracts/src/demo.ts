export const DEMO_PASSWORD = 'demo-password';

export const DEMO_APP = {
  clientId: 'demo-app',
  clientSecret: 'demo-secret',
  name: 'Settle demo',
  description: 'Shows what an app sees after you allow it in.',
  /** Below `PUBLIC_URL`. */
  redirectPath: '/developers/callback',
} as const;

const alice = {
  id: '1852942301724180481',
  username: 'alice',
  firstName: 'Alice',
  lastName: 'Archer',
  about: 'Pays for the coffee.',
  email: 'alice@example.com',
  phone: '+14155550101',
  balanceCents: 100_00,
  fundingSourceId: 'demo-card-alice',
  /** The command that puts the first balance into the wallet, the same at every start. */
  fundingCommandId: '5f4a2c1e-7a55-4a9c-9a43-0d6c4f7f0001',
};

const bob = {
  id: '1852942305918484482',
  username: 'bob',
  firstName: 'Bob',
  lastName: 'Baker',
  about: 'Bakes the bread.',
  email: 'bob@example.com',
  phone: '+14155550102',
  balanceCents: 50_00,
  fundingSourceId: null,
  fundingCommandId: '5f4a2c1e-7a55-4a9c-9a43-0d6c4f7f0002',
};

const carol = {
  id: '1852942310112788483',
  username: 'carol',
  firstName: 'Carol',
  lastName: 'Clark',
  about: '',
  email: 'carol@example.com',
  phone: '+14155550103',
  balanceCents: 0,
  fundingSourceId: null,
  fundingCommandId: '5f4a2c1e-7a55-4a9c-9a43-0d6c4f7f0003',
};

/**
 * The people of the demo data. Every service seeds its own part of them, so the ids are agreed here. Alice and bob are
 * friends, and bob trusts alice.
 */
export const DEMO_USERS = { alice, bob, carol } as const;
export type DemoUser = (typeof DEMO_USERS)[keyof typeof DEMO_USERS];
