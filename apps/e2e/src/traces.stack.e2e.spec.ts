import { TOPICS } from '@settle/contracts';
import { eventually, startOtlpCollector, type OtlpCollector, type ReceivedSpan } from '@settle/testing';
import { call } from './client.js';
import { prepareDedicatedProduct, type DedicatedProduct } from './dedicated-product.js';
import { type TestUser, loadDemoUser } from './users.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER_SPAN = 'b7ad6b7169203331';
const NOTE = 'for the two of us only';

describe('traces of the distributed shape', () => {
  let collector: OtlpCollector;
  let product: DedicatedProduct;
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    collector = await startOtlpCollector();
    product = prepareDedicatedProduct({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
    });
    await product.start();
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
  }, 120_000);
  afterAll(async () => {
    await product.close();
    await collector.close();
  });

  it('given a caller with a trace, when a payment is made, then one trace spans gateway and payments-service', async () => {
    const { status } = await call('/payments', {
      method: 'POST',
      token: alice.token,
      form: { user_id: bob.id, amount: '0.01', note: NOTE },
      query: { audience: 'private' },
      headers: { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01` },
    });
    expect(status).toBe(200);
    const ofTrace = () => collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
    const named = (name: string): ReceivedSpan => {
      const found = ofTrace().find((span) => span.name === name);
      if (found === undefined)
        throw new Error(
          `No span ${name} among ${ofTrace()
            .map((span) => span.name)
            .join()}`,
        );
      return found;
    };
    const request = 'POST /v1/payments';
    const clientSpan = 'ask payments.create';
    const serverSpan = 'answer payments.create';
    await eventually(() => [request, clientSpan, serverSpan, 'append', 'wait for read models'].forEach(named), {
      timeoutMs: 30_000,
    });
    expect(named(request)).toMatchObject({ service: 'api-gateway', parentSpanId: CALLER_SPAN });
    expect(named(request).attributes).toMatchObject({ 'http.route': '/v1/payments', 'http.response.status_code': 200 });
    expect(named(clientSpan)).toMatchObject({ service: 'api-gateway', parentSpanId: named(request).spanId });
    expect(named(clientSpan).attributes).toMatchObject({ 'messaging.destination.name': TOPICS.paymentsCommands });
    expect(named(serverSpan)).toMatchObject({ service: 'payments-service', parentSpanId: named(clientSpan).spanId });
    const spans = new Map(ofTrace().map((span) => [span.spanId, span]));
    for (const name of ['append', 'wait for read models']) {
      expect(named(name).service).toBe('payments-service');
      expect(spans.get(named(name).parentSpanId)?.service).toBe('payments-service');
    }
  });

  // Shows request-9
  it('given all spans, when they are read, then they hold no token, note, address or query', () => {
    const text = JSON.stringify(collector.spans);
    expect(collector.spans.length).toBeGreaterThan(10);
    for (const secret of [alice.token, bob.token, NOTE, alice.email, bob.email, 'audience', 'private', '?']) {
      expect(text).not.toContain(secret);
    }
  });

  it('given an unavailable collector, when payments are made, then they succeed as before', async () => {
    await collector.close();
    const beganAtMs = performance.now();
    for (let index = 0; index < 10; index += 1) {
      expect((await alice.send({ user_id: bob.id }, 0.01)).status).toBe(200);
    }
    // If each waited for the collector, it would take minutes.
    expect(performance.now() - beganAtMs).toBeLessThan(30_000);
  });
});
