/** Converts a bigint column of microseconds or cents to a number: PostgreSQL returns text. */
export const bigintAsNumber = {
  to: (value: number | null) => value,
  from: (stored: string | null) => stored && Number(stored),
};
