export { callerAtAddress } from './caller-address.js';
export { HttpDrain } from './http-drain.js';
export { KnownPaths } from './known-paths.js';
export { Health, type Checks } from './health.js';
export { serveHealth, type HealthServer } from './health-server.js';
export { runUntilStopped } from './process-life.js';
export { runService, type ServiceParts, type StartedService } from './run-service.js';
export { Running, StartInterrupted, type Stoppable } from './running.js';
export { answerUnparsed } from './unparsed-request.js';
