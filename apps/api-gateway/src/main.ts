import { runService } from '@settle/lifecycle';
import { startApiGateway } from './start-api-gateway.js';

await runService('api-gateway', async ({ settings, logger, bus, metrics }) => {
  const { close } = await startApiGateway({
    settings,
    bus,
    logger,
    authUrl: settings.authUrl,
    callbacksUrl: settings.funding.callbacksUrl,
    metrics,
    parent: process,
  });
  // Every request needs the bus.
  return { checks: {}, drain: close, close };
});
