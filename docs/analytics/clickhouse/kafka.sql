-- Fills `records` from Kafka, beside tables.sql, on a ClickHouse server.
create table topics (value String)
engine = Kafka
settings
  kafka_broker_list = 'localhost:9092',
  kafka_topic_list = 'payments.events.v1,ledger.entries.v1',
  kafka_group_name = 'analysts-clickhouse',
  kafka_format = 'RawBLOB',
  kafka_num_consumers = 1;

create materialized view topics_to_records to records as
select
  _topic as topic,
  toUInt32OrDefault(_headers.value[indexOf(_headers.name, 'epoch')], toUInt32(1)) as epoch,
  toUInt64(_headers.value[indexOf(_headers.name, 'position')]) as position,
  _key as key,
  parseDateTime64BestEffort(_headers.value[indexOf(_headers.name, 'time')], 6, 'UTC') as time,
  _headers.value[indexOf(_headers.name, 'type')] as type,
  value as data
from topics;
