import { readFile } from 'node:fs/promises';

/** The pages of `docs/` that are served beside the reference, for app developers. */
export const GUIDES = ['interface.md', 'sandbox.md', 'errors.md'] as const;

const LINK = /\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)/g;
const isServed = (target: string): boolean => (GUIDES as readonly string[]).includes(target);

/**
 * The text of a guide, as a checkout and the image have it, with links that work where it is served: those to pages that
 * are not served become plain words.
 * @param path of the request, such as `/docs/interface.md`
 */
export async function readGuide(path: string): Promise<string> {
  const name = GUIDES.find((guide) => path.endsWith(`/${guide}`)) ?? GUIDES[0];
  const text = await readFile(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
  return text.replaceAll(LINK, (link: string, words: string, target: string) => {
    if (target === '' || target.includes(':') || isServed(target)) return link;
    return target === 'openapi.json' ? `[${words}](/openapi.json)` : words;
  });
}
