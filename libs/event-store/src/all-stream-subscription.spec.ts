import { ScriptedSubscriptions, type ScriptedMessage } from '@settle/testing';
import { AllSubscription } from './all-stream-subscription.js';
import { getNumbers, Recorder } from '../test/contract.fixture.js';
import { EVENT_STORE_DB_LIMITS } from './limits.js';
import { ReadingClient } from './reading-client.js';

const STEP = 10;
const log = { checkLog: () => Promise.resolve(), observe: () => undefined };

/**
 * Converts signs to messages. `e`: an event; `c`: a checkpoint at an event of another stream; `a`: a checkpoint at the
 * position of the next event, as some servers send it.
 */
function buildScript(signs: string): ScriptedMessage[] {
  let position = 0;
  return [...signs].map((sign, index) => {
    if (signs[index - 1] !== 'a') position += STEP;
    return { kind: sign === 'e' ? 'event' : 'checkpoint', position };
  });
}

const getEventPositions = (script: readonly ScriptedMessage[], upTo = Infinity) =>
  script.flatMap(({ kind, position }) => (kind === 'event' && position <= upTo ? [position] : []));

describe('AllSubscription', () => {
  // The buffer is small, so that messages arrive while others are read.
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

  /** Returns the delivered events, and in `passed` those that were not delivered before the position passed them. */
  async function subscribe(script: readonly ScriptedMessage[], endAfter: number, batchSize: number) {
    server.play(script, endAfter);
    const recorder = new Recorder();
    const passed: number[] = [];
    const handle = async (events: Parameters<typeof recorder.record>[0], upTo: number) => {
      // The handler is slower than the server.
      for (let turns = 0; turns < 4; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      recorder.record(events, upTo);
      passed.push(...getEventPositions(script, upTo).slice(recorder.events.length));
    };
    const options = recorder.options(['wallet-'], { batchSize, progressAfterMs: 0, handle });
    const subscription = new AllSubscription(options, { client, ...log }, limits);
    await recorder.waitForEvents(getEventPositions(script).length);
    await subscription.stop();
    return { seen: getNumbers(recorder.events), passed };
  }

  describe.each([
    ['at events of other streams', 'eecceeeceeccceeceeeeeceeecccceeeeeeeceeccece'],
    ['at the position of the next event', 'eeaeeeaeecaeeaeecacaeeeeeeaeeeaeccaeeaecae'],
  ])('given checkpoints %s', (_where, signs) => {
    const script = buildScript(signs);

    it.each([1, 2, 4, 100])(
      'given batches of at most %d, when the connection is lost at any message, then each event is delivered once',
      async (batchSize) => {
        for (let endAfter = 0; endAfter <= script.length; endAfter += 1) {
          expect({ endAfter, ...(await subscribe(script, endAfter, batchSize)) }).toEqual({
            endAfter,
            seen: getEventPositions(script),
            passed: [],
          });
        }
      },
    );
  });

  it('given only checkpoints, when the connection is lost, then the subscription resumes at the last but one', async () => {
    const script = buildScript('cccce');
    let lose = (): void => undefined;
    server.play(script, 4, new Promise((resolve) => (lose = resolve)));
    const recorder = new Recorder();
    const handle = async (events: Parameters<typeof recorder.record>[0], upTo: number) => {
      recorder.record(events, upTo);
      if (upTo === 3 * STEP) lose();
    };
    const options = recorder.options(['wallet-'], { progressAfterMs: 0, handle });
    const subscription = new AllSubscription(options, { client, ...log }, limits);
    await recorder.waitForEvents(1);
    await subscription.stop();
    expect(server.requestedPositions).toEqual([-1, 3 * STEP]);
    expect(getNumbers(recorder.events)).toEqual([5 * STEP]);
  });
});
