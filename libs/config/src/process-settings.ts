import { baseAddress, hostName, instanceName, webOrigin, wholeNumber } from './setting-parsers.js';
import { setting } from './setting.js';

const SERVICES = 'the four services';

/** Settings of a service in a separate process. */
export const PROCESS_SETTINGS = {
  authUrl: setting({
    name: 'AUTH_URL',
    default: null,
    otherwise: 'none; api-gateway needs one',
    meaning: 'Where auth-service listens for the gateway; with several, the address of what balances them.',
    readBy: 'api-gateway',
    expects: 'an http or https address without path, query or credentials',
    example: 'http://localhost:3001',
    parse: webOrigin,
  }),
  tokenGraceSeconds: setting({
    name: 'TOKEN_GRACE_SECONDS',
    default: '0',
    meaning:
      'How long a gateway goes on believing what it knows of access tokens when it no longer hears from auth-service. With 0 a ' +
      'revoked token is refused everywhere within one second. Above 0, and only while no instance of auth-service is heard, ' +
      'a revoked token is accepted for so much longer.',
    readBy: 'all-in-one, api-gateway',
    expects: 'a whole number from 0 to 30',
    example: '10',
    parse: wholeNumber(0, 30),
  }),
  trustedProxies: setting({
    name: 'TRUSTED_PROXIES',
    default: '0',
    meaning:
      'How many proxies of yours stand in front, each adding to `X-Forwarded-For` where a request came from. With too many, a caller can claim any address.',
    readBy: 'all-in-one, stack, api-gateway',
    expects: 'a whole number from 0 to 9',
    example: '1',
    parse: wholeNumber(0, 9),
  }),
  healthHost: setting({
    name: 'HEALTH_HOST',
    default: '127.0.0.1',
    meaning: 'The address on which `/health/live`, `/health/ready` and `/metrics` are answered.',
    readBy: `all-in-one, ${SERVICES}`,
    expects: 'a host name or an IP address',
    example: '0.0.0.0',
    parse: hostName,
  }),
  healthPort: setting({
    name: 'HEALTH_PORT',
    default: null,
    otherwise: '`9000`; all-in-one: none, and nothing is measured',
    meaning: 'The port of the same; `0` takes a free one.',
    readBy: `all-in-one, ${SERVICES}`,
    expects: 'a whole number from 0 to 65535',
    example: '9000',
    parse: wholeNumber(0, 65_535),
  }),
  tracesEndpoint: setting({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    default: null,
    otherwise: 'none, and nothing is traced',
    meaning:
      'The collector that OpenTelemetry traces are sent to, as OTLP over HTTP, at `/v1/traces` below it. `OTEL_EXPORTER_OTLP_HEADERS`, ' +
      '`OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` are read as well; one trace in 100 is kept unless they say otherwise.',
    readBy: `all-in-one, ${SERVICES}`,
    expects: 'an http or https address without query or credentials',
    example: 'http://localhost:4318',
    parse: baseAddress,
  }),
  instanceId: setting({
    name: 'INSTANCE_ID',
    default: null,
    otherwise: '`<service>-<host name>-<process>`',
    meaning: 'What logs and the cluster call this instance.',
    readBy: SERVICES,
    expects: 'at most 100 letters, digits, dots, underscores and hyphens',
    example: 'payments-1',
    parse: instanceName,
  }),
};
