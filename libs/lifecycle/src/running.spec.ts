import { Running, StartInterrupted } from './running.js';

describe('Running', () => {
  it('given three parts of which one fails to stop, when all are stopped, then each is, youngest first', async () => {
    const running = new Running();
    const stopped: string[] = [];
    const failures: string[] = [];
    for (const name of ['postgres', 'bus', 'gateway']) {
      running.add(name, () => {
        stopped.push(name);
        return name === 'bus' ? Promise.reject(new Error('stuck')) : Promise.resolve();
      });
    }
    await running.stop((name) => failures.push(name));
    expect(stopped).toEqual(['gateway', 'bus', 'postgres']);
    expect(failures).toEqual(['bus']);
  });

  it('given a signal while it starts, when the next part is there, then the start ends and that part is stopped too', async () => {
    const running = new Running();
    const stopped: string[] = [];
    running.interrupt();
    expect(() => running.add('postgres', () => Promise.resolve(void stopped.push('postgres')))).toThrow(
      StartInterrupted,
    );
    await running.stop(() => undefined);
    expect(stopped).toEqual(['postgres']);
  });

  it('given a part that fails while another starts, when that one is there, then the start ends and says why', () => {
    const running = new Running();
    running.fail(new Error('the reader ended'));
    running.fail(new Error('and so did another'));
    expect(() => running.add('postgres', () => Promise.resolve())).toThrow(StartInterrupted);
    expect(running.failure?.message).toBe('the reader ended');
  });

  it('given parts that run, when one fails, then the waiting caller gets its error', async () => {
    const running = new Running();
    const failed = expect(running.untilFailed()).rejects.toThrow('the reader ended');
    running.fail(new Error('the reader ended'));
    await failed;
  });
});
