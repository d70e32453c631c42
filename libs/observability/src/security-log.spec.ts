import { Writable } from 'node:stream';
import {
  Metrics,
  SECURITY_EVENTS,
  SecurityLog,
  createLogger,
  securityLogMarkdown,
  type SecurityFacts,
} from './index.js';

const REQUEST = {
  requestId: 'request-1',
  addressHash: 'q83vEjRWeJCrze8SNFZ4kA',
  browserHash: 'EjRWeJCrze8SNFZ4kKvN7w',
};
const USER_ID = '1852942310112788481';

function listening(level: 'info' | 'fatal' | 'silent' = 'info') {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const metrics = new Metrics();
  const logger = createLogger({ level, service: 'spec', stream });
  return { lines, metrics, security: new SecurityLog({ logger, metrics, request: () => REQUEST }) };
}

describe('the security log', () => {
  it.each(['fatal', 'silent'] as const)(
    'given LOG_LEVEL=%s, when an event is written, then the line is there',
    (level) => {
      const { lines, security } = listening(level);
      security.write('sign_in_succeeded', { userId: USER_ID });
      security.write('sign_in_failed');
      expect(lines.map(({ securityEvent, level: shown }) => [securityEvent, shown])).toEqual([
        ['sign_in_succeeded', 'info'],
        ['sign_in_failed', 'warn'],
      ]);
    },
  );

  it('given an event, when written, then the line has its name, its level, the request and the facts', () => {
    const { lines, security } = listening();
    const facts = {
      userId: USER_ID,
      appId: 'demo-app',
      authorizationId: '0b0f9a3e-6c0f-4a53-9a0c-0f5f3b0a7c11',
      kind: 'code',
      scopes: ['make_payments'],
      flags: { 'legacy-access': true },
      count: 3,
    } as const;
    security.write('tokens_refused', facts);
    expect(lines[0]).toMatchObject({
      level: 'warn',
      time: expect.stringMatching(/Z$/) as string,
      securityEvent: 'tokens_refused',
      ...REQUEST,
      msg: SECURITY_EVENTS.tokens_refused.message,
      ...facts,
    });
  });

  it.each([
    ['1112', true],
    ['2147483647', true],
    ['2147483648', false],
    ['4155550101', false],
  ])('given the app %s, when written, then it is in the line: %p', (appId, isThere) => {
    const { lines, security } = listening();
    security.write('app_registered', { appId });
    expect(lines[0]?.['appId']).toBe(isThere ? appId : undefined);
  });

  it('given facts that are not known, when written, then they are left out', () => {
    const { lines, security } = listening();
    security.write('sign_in_failed', { userId: null, appId: undefined });
    const beside = ['addressHash', 'browserHash', 'level', 'msg', 'requestId', 'securityEvent', 'service', 'time'];
    expect(Object.keys(lines[0]!).sort()).toEqual(beside);
  });

  it.each([
    ['a token', 'h7Gk2_p0Qw-Zx4Lr9vTn3Yb8Ec1Ms6Da5Uf0Ji2Ko-4'],
    ['an e-mail address', 'alice@example.com'],
    ['a phone number', '+14155550101'],
    ['a phone number without its sign', '14155550101'],
    ['a code', '042137'],
    ['a longer code', '0421370421'],
    ['a password', 'wet grass at noon'],
    ['a line break', 'demo-app\n{"level":"info"}'],
    ['an object', { password: 'wet grass' }],
  ])('given %s in the place of any fact, when written, then it is not in the line', (_what, canary) => {
    const { lines, security } = listening();
    const names = ['userId', 'appId', 'authorizationId', 'kind', 'scopes', 'flags', 'count', 'note'];
    for (const value of [canary, [canary], { [String(canary)]: canary }]) {
      security.write('code_refused', Object.fromEntries(names.map((name) => [name, value])) as SecurityFacts);
    }
    for (const line of lines) expect(line).not.toEqual(expect.objectContaining({ note: canary }));
    const text = JSON.stringify(lines);
    expect(text).not.toContain(typeof canary === 'string' ? JSON.stringify(canary).slice(1, -1) : 'wet grass');
  });

  it('given events, when the metrics are looked at, then each is counted by name, those that never happened too', async () => {
    const { metrics, security } = listening();
    security.write('sign_in_failed');
    security.write('sign_in_failed');
    const page = await metrics.text();
    expect(page).toMatch(/^settle_security_events_total\{event="sign_in_failed"\} 2$/m);
    expect(page).toMatch(/^settle_security_events_total\{event="refresh_token_reused"\} 0$/m);
    expect(page).not.toContain('operator_flags_set');
  });

  it('given the table, when printed, then each event has its row', () => {
    const rows = securityLogMarkdown().match(/^\| `\w+` \| (?:info|warn) \|/gm);
    expect(rows).toHaveLength(Object.keys(SECURITY_EVENTS).length);
  });
});
