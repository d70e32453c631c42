export { HttpDrain } from './http-drain.js';
export type { Checks } from './health.js';
export { runUntilStopped } from './process-life.js';
export { runService, type ServiceParts, type StartedService } from './run-service.js';
export { Running, StartInterrupted, type Stoppable } from './running.js';
