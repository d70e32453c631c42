import { readCommand } from './arguments.js';

const read = (line: string) => readCommand(line.split(' ').filter((word) => word !== ''));

describe('readCommand', () => {
  it.each([
    ['', { kind: 'run', counts: { gateways: 1, payments: 1, users: 1, auth: 2 } }],
    ['--gateways 2 --payments=3', { kind: 'run', counts: { gateways: 2, payments: 3, users: 1, auth: 2 } }],
    ['scale payments 3', { kind: 'scale', group: 'payments', count: 3 }],
    ['status', { kind: 'status', asJson: false }],
    ['status --json', { kind: 'status', asJson: true }],
    ['kafka stop', { kind: 'kafka', action: 'stop' }],
  ])('given "%s", when it is read, then that is meant', (line, command) => {
    expect(read(line)).toEqual(command);
  });

  it.each(['--wallets 2', '--users', '--users 0', '--auth 13', 'scale', 'scale payments', 'scale payments x', 'go'])(
    'given "%s", when it is read, then it is refused',
    (line) => {
      expect(() => read(line)).toThrow(/is not understood|How many/);
    },
  );
});
