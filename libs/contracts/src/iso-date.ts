const DAY_S = 86_400;
const MICROSECONDS = 1_000_000;
const DAYS_KEPT = 4_096;
const dayTexts = new Map<number, string>();
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ`. @param atUs microseconds since 1970, a safe integer */
export function formatIsoDateUs(atUs: number): string {
  const day = Math.floor(atUs / (DAY_S * MICROSECONDS));
  const restUs = atUs - day * DAY_S * MICROSECONDS;
  const seconds = Math.floor(restUs / MICROSECONDS);
  const clock = `${twoDigits(seconds / 3_600)}:${twoDigits((seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
  return `${dayText(day)}T${clock}.${String(MICROSECONDS + (restUs % MICROSECONDS)).slice(1)}Z`;
}

/** `YYYY-MM-DD`. Kept, since Date is slow at it and answers of one moment show few different days. */
function dayText(day: number): string {
  const kept = dayTexts.get(day);
  if (kept !== undefined) return kept;
  const text = new Date(day * DAY_S * 1_000).toISOString().slice(0, 10);
  if (dayTexts.size >= DAYS_KEPT) dayTexts.clear();
  dayTexts.set(day, text);
  return text;
}

function twoDigits(number: number): string {
  return TWO_DIGITS[Math.floor(number)] ?? '';
}
