import type { Pool } from 'pg';

/**
 * Makes every request to the provider due that waits for its next time, such as once an hour. The running workers take the
 * requests as they take any that are due.
 * @param nowUs microseconds since 1970
 */
export async function askAllSoon(pool: Pool, nowUs: number): Promise<void> {
  await pool.query(`update funding set due_us = $1 where act in ('ask', 'finish') and due_us > $1`, [nowUs]);
  // The waiting time of the act is added to this column: zero is long ago.
  await pool.query(`update open_work set since_us = 0 where act = 'funding' and since_us > 0`);
}
