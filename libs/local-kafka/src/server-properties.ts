export interface ServerPlace {
  /** Where the log lives. */
  readonly data: string;
  readonly port: number;
  readonly controllerPort: number;
}

/**
 * The whole `server.properties` of a node that is broker and controller, alone and on loopback: nothing is kept twice,
 * and what it waits for by default is others.
 * @param more lines that replace these or stand beside them
 */
export function serverProperties(
  { data, port, controllerPort }: ServerPlace,
  more: Readonly<Record<string, string>>,
): string {
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': data,
    'auto.create.topics.enable': false,
    'default.replication.factor': 1,
    'min.insync.replicas': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 2,
    'group.initial.rebalance.delay.ms': 0,
    // A killed node waits so long for its own former life to end; 9 s unless told.
    'broker.session.timeout.ms': 500,
    'broker.heartbeat.interval.ms': 100,
    'group.min.session.timeout.ms': 1_000,
    'log.cleaner.dedupe.buffer.size': 16_777_216,
    'log.segment.bytes': 67_108_864,
    'log.index.size.max.bytes': 1_048_576,
    'num.network.threads': 2,
    'num.io.threads': 4,
    ...more,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
