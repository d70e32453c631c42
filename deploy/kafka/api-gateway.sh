#!/bin/sh
# Made from libs/contracts/src/services.ts by node tools/generate.mjs. Gives api-gateway its rights on Kafka and no others:
#   KAFKA_ACLS='kafka-acls.sh --bootstrap-server broker:9092 --command-config admin.properties' sh api-gateway.sh
# PRINCIPAL is its name if that is another one, KAFKA_TOPIC_PREFIX the prefix of the topics. It may run repeatedly.
set -eu
: "${KAFKA_ACLS:?set it to the command kafka-acls.sh with its options for your cluster}"
allow() {
  # Unquoted: it is a command with options.
  $KAFKA_ACLS --add --force --allow-principal "User:${PRINCIPAL:-api-gateway}" "$@"
}
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}payments.commands"
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}payments.queries"
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}users.requests"
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}auth.requests"
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}dead-letters"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}replies"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}auth.revocations"
allow --operation Read --group "${KAFKA_TOPIC_PREFIX:-}replies" --resource-pattern-type prefixed
allow --operation Read --group "${KAFKA_TOPIC_PREFIX:-}auth.revocations" --resource-pattern-type prefixed
