#!/bin/sh
# Made from libs/contracts/src/services.ts by node tools/generate.mjs. Gives payments-service its rights on Kafka and no others:
#   KAFKA_ACLS='kafka-acls.sh --bootstrap-server broker:9092 --command-config admin.properties' sh payments-service.sh
# PRINCIPAL is its name if that is another one, KAFKA_TOPIC_PREFIX the prefix of the topics. It may run repeatedly.
set -eu
: "${KAFKA_ACLS:?set it to the command kafka-acls.sh with its options for your cluster}"
allow() {
  # Unquoted: it is a command with options.
  $KAFKA_ACLS --add --force --allow-principal "User:${PRINCIPAL:-payments-service}" "$@"
}
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}payments.commands"
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}auth.requests"
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}replies"
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}payments.events.v1"
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}ledger.entries.v1"
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}users.lifecycle.v1"
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}ledger.watermarks.v1"
allow --operation Write --topic "${KAFKA_TOPIC_PREFIX:-}dead-letters"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}payments.commands"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}payments.queries"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}users.state.v1"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}payments.events.v1"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}ledger.entries.v1"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}users.lifecycle.v1"
allow --operation Read --topic "${KAFKA_TOPIC_PREFIX:-}replies"
allow --operation Delete --topic "${KAFKA_TOPIC_PREFIX:-}payments.events.v1"
allow --operation Delete --topic "${KAFKA_TOPIC_PREFIX:-}ledger.entries.v1"
allow --operation Delete --topic "${KAFKA_TOPIC_PREFIX:-}users.lifecycle.v1"
allow --operation Read --group "${KAFKA_TOPIC_PREFIX:-}payments.commands" --resource-pattern-type prefixed
allow --operation Read --group "${KAFKA_TOPIC_PREFIX:-}payments.queries" --resource-pattern-type prefixed
allow --operation Read --group "${KAFKA_TOPIC_PREFIX:-}replies" --resource-pattern-type prefixed
allow --operation Read --group "${KAFKA_TOPIC_PREFIX:-}payments-" --resource-pattern-type prefixed
allow --operation Read --group "${KAFKA_TOPIC_PREFIX:-}settle-reading-" --resource-pattern-type prefixed
