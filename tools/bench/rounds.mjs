export const say = (text) => process.stderr.write(`${text}\n`);

export const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];

/** Between the two in the middle, where their number is even. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return (sorted[Math.floor(half)] + sorted[Math.ceil(half)]) / 2;
}

/** The round whose rate is the median. */
export const middleOf = (rounds) => {
  const rate = middle(rounds.map(({ perSecond }) => perSecond));
  return rounds.find(({ perSecond }) => perSecond === rate);
};

export async function inRounds(count, work) {
  for (let round = 1; round <= count; round += 1) {
    say(`  round ${round} of ${count}`);
    await work();
  }
}

/**
 * Runs `load` and adds the CPU seconds that each kind of process took for 1,000 requests, null where that is not known.
 * @param read CPU seconds so far, by kind
 */
export function measurer(load, read) {
  return async (request) => {
    const before = await read();
    const measured = await load(request);
    const after = await read();
    const per1000 = (kind) =>
      before[kind] === null ? null : ((after[kind] - before[kind]) / measured.requests) * 1_000;
    return { ...measured, cpuPer1000: Object.fromEntries(Object.keys(before).map((kind) => [kind, per1000(kind)])) };
  };
}

/** Returns the rows whose names begin with `text`, or all if it is undefined; throws if there is none. */
export function selectRows(rows, text) {
  const selected = rows.filter(({ name }) => text === undefined || name.startsWith(text));
  if (selected.length === 0)
    throw new Error(`No row begins with "${text}": ${rows.map(({ name }) => name).join('; ')}`);
  return selected;
}
