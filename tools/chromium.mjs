import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

/** Where Chromium is, as it comes with the system; null: it is not installed. */
export function chromiumPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program)));
  return places.find((place) => existsSync(place)) ?? null;
}
