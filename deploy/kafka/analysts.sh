#!/bin/sh
# Made from libs/contracts/src/services.ts by node tools/generate.mjs. Gives analysts its rights on Kafka and no others:
#   KAFKA_ACLS='kafka-acls.sh --bootstrap-server broker:9092 --command-config admin.properties' sh analysts.sh
# PRINCIPAL is its name if that is another one, KAFKA_TOPIC_PREFIX the prefix of the topics. It may run repeatedly.
set -eu
: "${KAFKA_ACLS:?set it to the command kafka-acls.sh with its options for your cluster}"
allow() {
  # Unquoted: it is a command with options.
  $KAFKA_ACLS --add --force --allow-principal "User:${PRINCIPAL:-analysts}" "$@"
}
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}payments.events.v1"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}ledger.entries.v1"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}users.lifecycle.v1"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}ledger.watermarks.v1"
allow --operation Read --group "${KAFKA_TOPIC_PREFIX:-}analysts-" --resource-pattern-type prefixed
