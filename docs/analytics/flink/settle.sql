-- Flink SQL over the public topics, with the Kafka connector (flink-sql-connector-kafka) on the class path.

CREATE TABLE payment_events (
  `eventId` STRING,
  `type` STRING,
  `paymentId` STRING,
  `revision` INT,
  `occurredAt` STRING,
  `status` STRING,
  `mode` STRING,
  `actorUserId` STRING,
  `targetUserId` STRING,
  `amountCents` BIGINT,
  `feeCents` BIGINT,
  `originalPaymentId` STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'payments.events.v1',
  'properties.bootstrap.servers' = 'localhost:9092',
  'properties.group.id' = 'analysts-flink',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);

CREATE TABLE ledger_entries (
  `eventId` STRING,
  `position` BIGINT,
  `movement` STRING,
  `debitAccount` STRING,
  `creditAccount` STRING,
  `amountCents` BIGINT,
  `currency` STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'ledger.entries.v1',
  'properties.bootstrap.servers' = 'localhost:9092',
  'properties.group.id' = 'analysts-flink',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);

-- Delivery is at least once: each event once.
CREATE VIEW settled AS
SELECT * FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY `eventId` ORDER BY `revision`) AS delivery
  FROM payment_events
  WHERE `type` = 'PaymentSettled'
) WHERE delivery = 1;

CREATE VIEW entries_once AS
SELECT * FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY `eventId` ORDER BY `position`) AS delivery FROM ledger_entries
) WHERE delivery = 1;

-- Both results change as records come.
CREATE VIEW account_cents AS
SELECT account, SUM(cents) AS cents
FROM (
  SELECT `debitAccount` AS account, -`amountCents` AS cents FROM entries_once
  UNION ALL
  SELECT `creditAccount`, `amountCents` FROM entries_once
)
GROUP BY account;

CREATE VIEW volume_of_day AS
SELECT day_utc, COUNT(*) AS payments, SUM(`amountCents`) AS amount_cents, SUM(`feeCents`) AS fee_cents
FROM (
  SELECT SUBSTRING(`occurredAt` FROM 1 FOR 10) AS day_utc, `amountCents`, `feeCents`
  FROM settled
  WHERE `originalPaymentId` IS NULL
)
GROUP BY day_utc;

SELECT * FROM volume_of_day;
