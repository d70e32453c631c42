/** Converts a bigint column of microseconds to a number: PostgreSQL returns text. */
export const microseconds = { to: (value: number) => value, from: (stored: string) => Number(stored) };
