import { SERVICES } from '@settle/contracts/services';
import { readCommand } from './arguments.js';

const counts = (gateways: number, payments: number) => ({
  ...Object.fromEntries(Object.entries(SERVICES).map(([service, { instances }]) => [service, instances])),
  'api-gateway': gateways,
  'payments-service': payments,
  'users-service': 1,
  'auth-service': 2,
});
const read = (line: string) => readCommand(line.split(' ').filter((word) => word !== ''));

describe('readCommand', () => {
  it.each([
    ['', { kind: 'run', counts: counts(1, 1) }],
    ['--gateways 2 --payments=3', { kind: 'run', counts: counts(2, 3) }],
    ['scale payments 3', { kind: 'scale', service: 'payments-service', count: 3 }],
    ['status', { kind: 'status', asJson: false }],
    ['status --json', { kind: 'status', asJson: true }],
    ['restart', { kind: 'restart', service: null }],
    ['restart auth', { kind: 'restart', service: 'auth-service' }],
    ['targets', { kind: 'targets', file: null }],
    ['targets --to settle.json', { kind: 'targets', file: 'settle.json' }],
    ['kafka stop', { kind: 'kafka', action: 'stop' }],
  ])('given "%s", when it is read, then that is meant', (line, command) => {
    expect(read(line)).toEqual(command);
  });

  it.each([
    '--wallets 2',
    '--users',
    '--users 0',
    '--auth 13',
    'scale',
    'scale payments',
    'scale payments x',
    'go',
    'restart kafka',
    'restart auth users',
    'targets --to',
    'targets settle.json',
  ])('given "%s", when it is read, then it is refused', (line) => {
    expect(() => read(line)).toThrow(/is not understood|How many/);
  });
});
