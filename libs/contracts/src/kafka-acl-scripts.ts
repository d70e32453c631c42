import { KAFKA_PRINCIPALS, kafkaAclsOf, type KafkaAcl, type KafkaPrincipal } from './kafka-rights.js';

/** A shell variable in place of the prefix of topics and groups: the one who runs the script knows it. */
const PREFIX = '${KAFKA_TOPIC_PREFIX:-}';

interface AclScript {
  readonly principal: KafkaPrincipal;
  readonly text: string;
}

/** Returns for each principal the shell script that gives it its rights with Kafka's own `kafka-acls.sh`, and no others. */
export function kafkaAclScripts(): readonly AclScript[] {
  return KAFKA_PRINCIPALS.map((principal) => ({ principal, text: scriptOf(principal) }));
}

function scriptOf(principal: KafkaPrincipal): string {
  return `#!/bin/sh
# Made from libs/contracts/src/services.ts by node tools/generate.mjs. Gives ${principal} its rights on Kafka and no others:
#   KAFKA_ACLS='kafka-acls.sh --bootstrap-server broker:9092 --command-config admin.properties' sh ${principal}.sh
# PRINCIPAL is its name if that is another one, KAFKA_TOPIC_PREFIX the prefix of the topics. It may run repeatedly.
set -eu
: "\${KAFKA_ACLS:?set it to the command kafka-acls.sh with its options for your cluster}"
allow() {
  # Unquoted: it is a command with options.
  $KAFKA_ACLS --add --force --allow-principal "User:\${PRINCIPAL:-${principal}}" "$@"
}
${kafkaAclsOf(principal, PREFIX).map(lineOf).join('\n')}
`;
}

function lineOf({ resource, name, isPrefix, operation }: KafkaAcl): string {
  const pattern = isPrefix ? ' --resource-pattern-type prefixed' : '';
  const word = operation[0]?.toUpperCase() + operation.slice(1);
  return `allow --operation ${word} --${resource} "${name}"${pattern}`;
}
