const FILE = /^([\p{L}\p{N}\p{M}]{1,8})\.svg$/u;
const MAX_INITIALS = 3;
const COLORS = ['#2f6f6b', '#5b4b8a', '#8a4b5b', '#3d6196', '#7a5c2e', '#4a6b35'];

/** Returns a round SVG picture with initials for a file name such as `AB.svg`; null if the name has another form. */
export function initialsPicture(file: string): string | null {
  const initials = FILE.exec(file.normalize('NFC'))?.[1];
  if (initials === undefined || [...initials].length > MAX_INITIALS) return null;
  const color = COLORS[[...initials].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0) % COLORS.length];
  const text = initials.toUpperCase();
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" role="img" aria-label="${text}">`,
    `<circle cx="48" cy="48" r="48" fill="${color}"/>`,
    '<text x="48" y="48" dy=".35em" text-anchor="middle" fill="#fff" font-family="sans-serif" font-size="38">',
    `${text}</text></svg>`,
  ].join('');
}
