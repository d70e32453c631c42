import { IsString, ValidateNested, ArrayMaxSize, IsArray, Matches } from 'class-validator';
import { Type } from 'class-transformer';
import { eventContract } from '../message.js';
import { atLeast, field, line, message } from '../message-fields.js';
import { TOPICS } from '../topics.js';

/** More than all public topics have. */
const MOST_PARTITIONS = 1_000;

/** How far one partition of a public topic is filled. */
export class PartitionMark extends message({
  topic: line(100),
  partition: atLeast(0),
  /** Log position: every record up to it is in the partition, below `offset`. */
  position: atLeast(0),
  /** Kafka offset of the partition's next record. */
  offset: atLeast(0),
  /** Epoch of the records. */
  epoch: atLeast(1),
}) {}

/** A record of `ledger.watermarks.v1`: how far every partition of every public topic is filled. */
export class LedgerWatermark extends message({
  type: field<'LedgerWatermark'>(IsString()),
  /** ISO 8601, in UTC. */
  time: field<string>(IsString(), Matches(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)),
  partitions: field<readonly PartitionMark[]>(
    Type(() => PartitionMark),
    ValidateNested({ each: true }),
    ArrayMaxSize(MOST_PARTITIONS),
    IsArray(),
  ),
}) {}

/** How far the public topics are filled, once a second. */
export const ledgerWatermarks = eventContract<LedgerWatermark>(
  TOPICS.ledgerWatermarks,
  'ledger.watermark',
  () => LedgerWatermark,
);
