import { SettleError } from '@settle/contracts';
import { Metrics } from '@settle/observability';
import { RequestMeter } from './request-meter.js';

describe('RequestMeter', () => {
  it('given requests that end in each way, when the page is looked at, then each is counted under its outcome', async () => {
    const metrics = new Metrics();
    const meter = new RequestMeter(metrics, 'asked');
    await meter.measure('people.one', () => Promise.resolve({}));
    const endings = [
      new SettleError('insufficient_funds', 'x'),
      new SettleError('outcome_unknown', 'x'),
      new Error('bug'),
    ];
    for (const error of endings) {
      await expect(meter.measure('people.one', () => Promise.reject(error))).rejects.toBe(error);
    }
    const page = await metrics.text();
    const count = (outcome: string) =>
      `settle_bus_request_duration_seconds_count{side="asked",pattern="people.one",outcome="${outcome}"}`;
    expect(page).toContain(`${count('ok')} 1\n`);
    expect(page).toContain(`${count('refused')} 1\n`);
    expect(page).toContain(`${count('failed')} 2\n`);
  });

  it('given a request that runs, when the page is looked at, then it is in progress until it ends', async () => {
    const metrics = new Metrics();
    const meter = new RequestMeter(metrics, 'answered');
    let end: (reply: object) => void = () => undefined;
    const running = meter.measure('people.one', () => new Promise<object>((resolve) => (end = resolve)));
    expect(await metrics.text()).toContain('settle_bus_requests_in_progress{side="answered"} 1');
    end({});
    await running;
    expect(await metrics.text()).toContain('settle_bus_requests_in_progress{side="answered"} 0');
  });
});
