import { ScriptedSubscriptions, type ScriptedMessage } from '@settle/testing';
import { AllSubscription } from './all-stream-subscription.js';
import { getNumbers, Recorder } from './contract.fixture.js';
import { EVENT_STORE_DB_LIMITS } from './limits.js';
import { ReadingClient } from './reading-client.js';

const STEP = 10;

/**
 * `e`: an event; `c`: a checkpoint at another stream's event; `a`: a checkpoint ahead, at the place of the event behind
 * it, as some servers send it.
 */
function scriptOf(signs: string): ScriptedMessage[] {
  let position = 0;
  return [...signs].map((sign, index) => {
    if (signs[index - 1] !== 'a') position += STEP;
    return { kind: sign === 'e' ? 'event' : 'checkpoint', position };
  });
}

const eventsOf = (script: readonly ScriptedMessage[], upTo = Infinity) =>
  script.flatMap(({ kind, position }) => (kind === 'event' && position <= upTo ? [position] : []));

describe('AllSubscription', () => {
  // Few events fit into memory, so that messages arrive while others are being taken.
  const limits = { ...EVENT_STORE_DB_LIMITS, eventsAhead: 4, retryPauseMinMs: 1, retryPauseMaxMs: 2 };
  let server: ScriptedSubscriptions;
  let client: ReadingClient;

  beforeAll(async () => {
    const started = await ScriptedSubscriptions.start('wallet-1');
    server = started.server;
    client = new ReadingClient(started.url, limits);
  });
  afterAll(async () => {
    await client.close();
    server.stop();
  });

  /** Gives the events that were still to come when the handler was told that it had passed them. */
  async function follow(script: readonly ScriptedMessage[], endAfter: number, batchSize: number) {
    server.play(script, endAfter);
    const recorder = new Recorder();
    const passed: number[] = [];
    const handle = async (events: Parameters<typeof recorder.record>[0], upTo: number) => {
      // Slower than they come.
      for (let turns = 0; turns < 4; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      recorder.record(events, upTo);
      passed.push(...eventsOf(script, upTo).slice(recorder.events.length));
    };
    const options = recorder.options(['wallet-'], { batchSize, tellAfterMs: 0, handle });
    const subscription = new AllSubscription(options, client, limits);
    await recorder.waitForEvents(eventsOf(script).length);
    await subscription.stop();
    return { seen: getNumbers(recorder.events), passed };
  }

  describe.each([
    ['at what the server has looked at', 'eecceeeceeccceeceeeeeceeecccceeeeeeeceeccece'],
    ['at the place of the event behind them', 'eeaeeeaeecaeeaeecacaeeeeeeaeeeaeccaeeaecae'],
  ])('given checkpoints %s', (_where, signs) => {
    const script = scriptOf(signs);

    it.each([1, 2, 4, 100])(
      'given batches of at most %d, when the connection is lost at whichever message, then nothing is missed or comes twice',
      async (batchSize) => {
        for (let endAfter = 0; endAfter <= script.length; endAfter += 1) {
          expect({ endAfter, ...(await follow(script, endAfter, batchSize)) }).toEqual({
            endAfter,
            seen: eventsOf(script),
            passed: [],
          });
        }
      },
    );
  });

  it('given only checkpoints, when the connection is lost, then it goes on at the last but one', async () => {
    const script = scriptOf('cccce');
    let lose = (): void => undefined;
    server.play(script, 4, new Promise((resolve) => (lose = resolve)));
    const recorder = new Recorder();
    const handle = async (events: Parameters<typeof recorder.record>[0], upTo: number) => {
      recorder.record(events, upTo);
      if (upTo === 3 * STEP) lose();
    };
    const options = recorder.options(['wallet-'], { tellAfterMs: 0, handle });
    const subscription = new AllSubscription(options, client, limits);
    await recorder.waitForEvents(1);
    await subscription.stop();
    expect(server.asked).toEqual([-1, 3 * STEP]);
    expect(getNumbers(recorder.events)).toEqual([5 * STEP]);
  });
});
