import { baseAddress, hostName, kafkaName, webOrigin, wholeNumber } from './setting-parsers.js';
import { setting } from './setting.js';

const SERVICES = 'the four services';

/** Settings of a service in a separate process. */
export const PROCESS_SETTINGS = {
  authUrl: setting('AUTH_URL', webOrigin, {
    otherwise: 'none; api-gateway needs one',
    meaning: 'Where auth-service listens for the gateway; with several, the address of what balances them.',
    readBy: 'api-gateway',
    example: 'http://localhost:3001',
  }),
  tokenGraceSeconds: setting('TOKEN_GRACE_SECONDS', wholeNumber(0, 30), {
    default: '0',
    meaning:
      'How long a gateway accepts tokens that it has checked before while it gets no heartbeat from auth-service. With 0 a ' +
      'revoked token is refused everywhere within one second. Above 0, and only while no instance of auth-service sends ' +
      'heartbeats, a revoked token is accepted for so much longer.',
    readBy: 'all-in-one, api-gateway',
    example: '10',
  }),
  trustedProxies: setting('TRUSTED_PROXIES', wholeNumber(0, 9), {
    default: '0',
    meaning:
      'How many proxies of yours stand in front, each adding to `X-Forwarded-For` where a request came from. With too many, a caller can claim any address.',
    readBy: 'all-in-one, stack, api-gateway',
    example: '1',
  }),
  healthHost: setting('HEALTH_HOST', hostName, {
    default: '127.0.0.1',
    meaning: 'The address on which `/health/live`, `/health/ready` and `/metrics` are answered.',
    readBy: `all-in-one, ${SERVICES}`,
    example: '0.0.0.0',
  }),
  healthPort: setting('HEALTH_PORT', wholeNumber(0, 65_535), {
    otherwise: '`9000`; all-in-one: none, and nothing is measured',
    meaning: 'The port of the same; `0` takes a free one.',
    readBy: `all-in-one, ${SERVICES}`,
    example: '9000',
  }),
  tracesEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', baseAddress, {
    otherwise: 'none, and nothing is traced',
    meaning:
      'The collector that OpenTelemetry traces are sent to, as OTLP over HTTP, at `/v1/traces` below it. `OTEL_EXPORTER_OTLP_HEADERS`, ' +
      '`OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` are read as well; one trace in 100 is kept unless they say otherwise.',
    readBy: `all-in-one, ${SERVICES}`,
    example: 'http://localhost:4318',
  }),
  instanceId: setting('INSTANCE_ID', kafkaName, {
    otherwise: '`<service>-<host name>-<process>`',
    meaning: 'What logs and the cluster call this instance.',
    readBy: SERVICES,
    example: 'payments-1',
  }),
};
