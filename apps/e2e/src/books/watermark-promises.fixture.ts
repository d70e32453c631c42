import type { LedgerWatermark } from '@settle/contracts';

type PartitionMark = LedgerWatermark['partitions'][number];

/** Where a record was met for the first time. */
export interface Placed {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Its place in the log. */
  readonly position: number;
  readonly epoch: number;
}

const partitionOf = ({ topic, partition }: Pick<Placed, 'topic' | 'partition'>) => `${topic}/${partition}`;
const isLater = (one: PartitionMark, other: PartitionMark) =>
  one.epoch > other.epoch || (one.epoch === other.epoch && one.position > other.position);

/** The promises of watermarks, and where records were found. */
export class WatermarkPromises {
  readonly #marks: PartitionMark[] = [];
  readonly #newest = new Map<string, PartitionMark>();
  readonly #placed = new Map<string, Placed[]>();

  promise({ partitions }: LedgerWatermark): void {
    for (const mark of partitions) {
      this.#marks.push(mark);
      const newest = this.#newest.get(partitionOf(mark));
      if (newest === undefined || isLater(mark, newest)) this.#newest.set(partitionOf(mark), mark);
    }
  }

  /** Notes a record that no earlier one repeats, in the order of offsets. */
  place(record: Placed): void {
    const placed = this.#placed.get(partitionOf(record));
    if (placed === undefined) this.#placed.set(partitionOf(record), [record]);
    else placed.push(record);
  }

  /** Returns the highest watermark of a partition, or undefined before its first. */
  newest(place: Pick<Placed, 'topic' | 'partition'>): PartitionMark | undefined {
    return this.#newest.get(partitionOf(place));
  }

  /** Returns the watermarks beyond whose offset a record up to their position was found. */
  broken(): readonly PartitionMark[] {
    return this.#marks.filter((mark) => {
      const placed = this.#placed.get(partitionOf(mark)) ?? [];
      const behind = placed.slice(firstFrom(placed, mark.offset));
      return behind.some(({ epoch, position }) => epoch === mark.epoch && position <= mark.position);
    });
  }
}

/** Returns the index of the first record at the offset or behind it, by bisection. */
function firstFrom(placed: readonly Placed[], offset: number): number {
  let [low, high] = [0, placed.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((placed[middle]?.offset ?? Infinity) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
