import { kafkaAcls, type KafkaAcl } from '@settle/contracts';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import kafkajs, { type AclEntry } from 'kafkajs';
import { runWithAdmin } from './run-with-admin.js';
import { createKafkaClient } from './kafka-connection.js';
import type { KafkaAddress } from './kafka-address.js';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

interface GrantRightsOptions {
  /** Address and credentials of a principal that may alter the cluster's access control lists. */
  readonly address: KafkaAddress;
  readonly topicPrefix: string;
  readonly logger: Logger;
}

/**
 * Grants each service's principal, `User:<service>`, its rights on topics and groups. Repeated runs are harmless.
 * @throws one line if the cluster has no authorizer or does not permit it
 */
export async function grantKafkaRights({ address, topicPrefix, logger }: GrantRightsOptions): Promise<void> {
  const kafka = createKafkaClient(address, 'settle-rights', logger, LIMITS.kafka.sendRetries);
  const acl = kafkaAcls(topicPrefix).map(entryOf);
  try {
    await runWithAdmin(kafka, address.brokers, (admin) => admin.createAcls({ acl }));
  } catch (error) {
    throw new Error(`Kafka does not take the rights of the services: ${(error as Error).message}`, { cause: error });
  }
}

function entryOf({ principal, resource, name, isPrefix, operation }: KafkaAcl): AclEntry {
  return {
    principal: `User:${principal}`,
    host: '*',
    permissionType: AclPermissionTypes.ALLOW,
    operation: AclOperationTypes[operation.toUpperCase() as Uppercase<typeof operation>],
    resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: name,
    resourcePatternType: isPrefix ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
  };
}
