import type { StandInFaults, StandInState } from './eventstoredb-stand-in.js';
import { StandInLog } from './stand-in-log.js';
import { StandInServer } from './stand-in-server.js';

/** The main program of the process `stand-in-main.js <file> <port>`. Its parent sends faults and receives the state. */
const [file = '', port = '0'] = process.argv.slice(2);
const log = new StandInLog(file);
const server = new StandInServer(log);

process.on('disconnect', () => process.exit());
process.on('message', (message: StandInFaults & { dropSubscribers?: boolean }) => {
  const { dropSubscribers = false, ...faults } = message;
  server.faults = { ...server.faults, ...faults };
  if (faults.responsesToDrop !== undefined) server.droppedResponses = 0;
  if (dropSubscribers) server.dropSubscribers();
  const { appends, droppedResponses, readsOfAnyNode, subscribers } = server;
  const state = { events: log.events.length, appends, droppedResponses, readsOfAnyNode, subscribers };
  process.send?.(state satisfies StandInState);
});

process.send?.({ port: await server.listen(Number(port)) });
