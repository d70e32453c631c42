/** Keeps a bigint column of microseconds as a number: PostgreSQL hands it over as text. */
export const microseconds = { to: (value: number) => value, from: (stored: string) => Number(stored) };
