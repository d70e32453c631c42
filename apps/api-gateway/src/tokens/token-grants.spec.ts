import type { TokenGrant } from '@settle/contracts';
import { TokenGrants } from './token-grants.js';

const grant: TokenGrant = { appId: 'demo-app', userId: '1', scopes: [], expiresAtMs: 1_000_000 };

interface Scene {
  readonly grants: TokenGrants;
  readonly asked: string[];
  readonly waiting: { resolve: (grant: TokenGrant) => void; reject: (error: Error) => void }[];
  nowMs: number;
  check(token?: string): Promise<TokenGrant>;
  heartbeat(...revoked: string[]): void;
}

/** A clock by hand, and questions that wait to be answered. */
function scene({ answerAtOnce, trustMs = 800 }: { answerAtOnce: boolean; trustMs?: number }): Scene {
  const asked: string[] = [];
  const waiting: Scene['waiting'] = [];
  const ask = (token: string): Promise<TokenGrant> => {
    asked.push(token);
    return answerAtOnce ? Promise.resolve(grant) : new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const grants = new TokenGrants({ ask, trustMs, nowMs: () => self.nowMs });
  const self: Scene = {
    grants,
    asked,
    waiting,
    nowMs: 10_000,
    check: async (token = 'a') => grants.check(token, { id: 'request', ip: '192.0.2.1', traceparent: undefined }),
    heartbeat: (...tokenSha256s) => grants.onRevoked({ tokenSha256s, completeUpToMs: self.nowMs }),
  };
  return self;
}

describe('kept answers of token checks', () => {
  it('given no heartbeat yet, when a token is checked again, then it is asked for again', async () => {
    const { check, asked } = scene({ answerAtOnce: true });
    await check();
    await check();
    expect(asked).toHaveLength(2);
  });

  it('given heartbeats, when a token is checked again, then the kept answer counts for less than 800 ms', async () => {
    const stage = scene({ answerAtOnce: true });
    stage.heartbeat();
    await stage.check();
    stage.nowMs += 799;
    await stage.check();
    expect(stage.asked).toHaveLength(1);
    stage.nowMs += 1;
    await stage.check();
    expect(stage.asked).toHaveLength(2);
  });

  it('given a heartbeat from a clock ahead, when time passes, then trust is no longer for it', async () => {
    const stage = scene({ answerAtOnce: true });
    stage.grants.onRevoked({ tokenSha256s: [], completeUpToMs: stage.nowMs + 60_000 });
    await stage.check();
    stage.nowMs += 800;
    await stage.check();
    expect(stage.asked).toHaveLength(2);
  });

  it('given a clock that goes back, when a token is checked before the next heartbeat, then it is asked for again', async () => {
    const stage = scene({ answerAtOnce: true });
    stage.heartbeat();
    await stage.check();
    stage.nowMs -= 3_600_000;
    await stage.check();
    expect(stage.asked).toHaveLength(2);
    stage.heartbeat();
    await stage.check();
    expect(stage.asked).toHaveLength(2);
  });

  it('given heartbeats, when a token is checked until it expires, then auth-service is asked once and then again', async () => {
    const stage = scene({ answerAtOnce: true });
    stage.heartbeat();
    await stage.check();
    for (stage.nowMs += 30_000; stage.nowMs < grant.expiresAtMs; stage.nowMs += 30_000) {
      stage.heartbeat();
      await stage.check();
    }
    expect(stage.asked).toHaveLength(1);
    stage.nowMs = grant.expiresAtMs;
    stage.heartbeat();
    await stage.check();
    expect(stage.asked).toHaveLength(2);
  });

  it('given a grace of two seconds, when heartbeats stop, then the kept answer counts for that long', async () => {
    const stage = scene({ answerAtOnce: true, trustMs: 2_800 });
    stage.heartbeat();
    await stage.check();
    stage.nowMs += 2_799;
    await stage.check();
    expect(stage.asked).toHaveLength(1);
    stage.nowMs += 1;
    await stage.check();
    expect(stage.asked).toHaveLength(2);
  });

  it('given a check that waits for auth-service, when heartbeats come again, then the kept answer ends its wait', async () => {
    const stage = scene({ answerAtOnce: false });
    stage.heartbeat();
    const first = stage.check();
    stage.waiting[0]?.resolve(grant);
    await first;
    stage.nowMs += 2_000;
    const waiting = stage.check();
    expect(stage.asked).toHaveLength(2);
    stage.heartbeat();
    expect(await waiting).toBe(grant);
    stage.waiting[1]?.reject(new Error('no answer came in time'));
    expect(await stage.check()).toBe(grant);
  });

  it('given a check that waits for auth-service, when the token is revoked with the next heartbeat, then it goes on waiting', async () => {
    const stage = scene({ answerAtOnce: false });
    stage.heartbeat();
    const first = stage.check();
    stage.waiting[0]?.resolve(grant);
    await first;
    stage.nowMs += 2_000;
    const waiting = stage.check();
    stage.heartbeat('a');
    stage.waiting[1]?.reject(new Error('revoked'));
    await expect(waiting).rejects.toThrow('revoked');
  });

  it('given a minute without heartbeats, when they come again, then every token is asked for anew', async () => {
    const stage = scene({ answerAtOnce: true });
    stage.heartbeat();
    await stage.check();
    stage.nowMs += 60_001;
    stage.heartbeat();
    await stage.check();
    expect(stage.asked).toHaveLength(2);
  });

  it('given a revoked token, when it is checked, then it is asked for, and no other', async () => {
    const stage = scene({ answerAtOnce: true });
    stage.heartbeat();
    await stage.check('a');
    await stage.check('b');
    stage.heartbeat('a');
    await stage.check('a');
    await stage.check('b');
    expect(stage.asked).toEqual(['a', 'b', 'a']);
  });

  it('given a revocation while the response is in flight, when the response arrives, then it is not cached', async () => {
    const stage = scene({ answerAtOnce: false });
    stage.heartbeat();
    const first = stage.check();
    stage.heartbeat('a');
    stage.waiting[0]?.resolve(grant);
    await first;
    void stage.check();
    expect(stage.asked).toHaveLength(2);
  });

  it('given a revocation while the response is in flight, when the token is checked again, then a new request is sent', async () => {
    const stage = scene({ answerAtOnce: false });
    stage.heartbeat();
    const first = stage.check();
    stage.heartbeat('a');
    const later = [stage.check(), stage.check()];
    expect(stage.asked).toHaveLength(2);
    stage.waiting[0]?.resolve(grant);
    await first;
    stage.waiting[1]?.reject(new Error('revoked'));
    expect((await Promise.allSettled(later)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('given checks of one token at once, when they run, then one is asked; a refusal is not kept', async () => {
    const stage = scene({ answerAtOnce: false });
    stage.heartbeat();
    const both = Promise.allSettled([stage.check(), stage.check()]);
    expect(stage.asked).toHaveLength(1);
    stage.waiting[0]?.reject(new Error('refused'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    void stage.check();
    expect(stage.asked).toHaveLength(2);
  });

  it('given more tokens than are kept, when the first is checked, then it is asked for and a recent one is not', async () => {
    const stage = scene({ answerAtOnce: true });
    stage.heartbeat();
    for (let token = 0; token <= 50_000; token++) await stage.check(String(token));
    stage.asked.length = 0;
    await stage.check('50000');
    await stage.check('1');
    await stage.check('0');
    expect(stage.asked).toEqual(['0']);
  });
});
