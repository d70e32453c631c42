/**
 * Returns the `server.properties` of a single node on loopback that is broker and controller: it stores nothing twice
 * and does not wait for other nodes.
 * @param data folder of the log
 * @param more settings that replace these or are added to them
 */
export function serverProperties(
  { data, port, controllerPort }: { readonly data: string; readonly port: number; readonly controllerPort: number },
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
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'group.initial.rebalance.delay.ms': 0,
    // After a kill a node waits this long for its previous session to expire, by default 9 s.
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
