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
});
