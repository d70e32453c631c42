import { readSecret } from '../bundled-database.fixture.js';
import { KAFKA_TOPICS } from '@settle/contracts';
import { eventually, FreezingPath } from '@settle/testing';
import kafkajs from 'kafkajs';
import { startService, type ServiceProcess } from '../service-process.fixture.js';
import type { StackUnderFaults } from './stack-under-faults.fixture.js';

const { AssignerProtocol, Kafka, logLevel } = kafkajs;

const NAME = 'payments-cut-off';
/** The name of the command topic and of the consumer group that is assigned its partitions. */
const COMMANDS = KAFKA_TOPICS.paymentsCommands.name;
const ASSIGNED_WAIT_MS = 30_000;

/** The end of the network path that can be cut. */
export type Link = 'database' | 'eventStore';

/** A payments instance beside those of the stack, whose network path to the database or to EventStoreDB can be cut. */
export class CutOffInstance {
  private constructor(
    private readonly service: ServiceProcess,
    private readonly path: FreezingPath,
    /** The partitions of commands that are assigned to it. */
    readonly partitions: ReadonlySet<number>,
  ) {}

  /** Resolves once the instance is ready and has partitions assigned. */
  static async start(under: StackUnderFaults, link: Link): Promise<CutOffInstance> {
    const databaseUrl = await under.paymentsDatabaseUrl();
    const path = await FreezingPath.to(link === 'database' ? databaseUrl : (under.eventStore?.url ?? ''));
    const { brokers } = (await under.stack.status()).kafka;
    const service = await startService('payments-service', {
      INSTANCE_ID: NAME,
      NODE_ENV: 'development',
      DEMO: 'true',
      RATE_LIMITS: 'off',
      PUBLIC_URL: under.stack.url,
      DATABASE_URL: databaseUrl,
      DATA_KEY: await readSecret(under.dataDir, 'data_key'),
      ...under.eventStore?.settings,
      [link === 'database' ? 'DATABASE_URL' : 'EVENTSTORE_URL']: path.url,
      KAFKA_BROKERS: brokers.join(),
      KAFKA_SESSION_TIMEOUT_MS: '2000',
    });
    try {
      await service.ready();
      return new CutOffInstance(service, path, await assignedPartitions(brokers));
    } catch (error) {
      service.signal('SIGKILL');
      await path.close();
      throw error;
    }
  }

  /** Resolves once the path has been cut inside the next message to its end that contains `text`. */
  cutInside(text: string, bytesAfter: number): Promise<void> {
    return this.path.freezeInside(text, bytesAfter);
  }

  /** Delivers the held bytes. Resolves once the instance is ready. */
  async reconnect(): Promise<void> {
    this.path.thaw();
    await this.service.ready();
  }

  async stop(): Promise<void> {
    this.path.thaw();
    this.service.signal('SIGTERM');
    await this.service.ended();
    await this.path.close();
  }
}

async function assignedPartitions(brokers: readonly string[]): Promise<ReadonlySet<number>> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await eventually(
      async () => {
        const [group] = (await admin.describeGroups([COMMANDS])).groups;
        const member = group?.members.find(({ clientId }) => clientId === NAME);
        const assigned = member && AssignerProtocol.MemberAssignment.decode(member.memberAssignment);
        const partitions = assigned?.assignment[COMMANDS] ?? [];
        if (group?.state !== 'Stable' || partitions.length === 0) throw new Error('No partition is assigned yet');
        return new Set(partitions);
      },
      { timeoutMs: ASSIGNED_WAIT_MS },
    );
  } finally {
    await admin.disconnect();
  }
}
