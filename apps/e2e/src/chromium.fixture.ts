import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { AxeResults } from 'axe-core';
import { pageUrl } from './newcomers.js';

const SCREENSHOTS = join(import.meta.dirname, '../../../.screenshots');
const { source: AXE } = createRequire(import.meta.url)('axe-core') as { source: string };
const DESKTOP = { width: 1_100, height: 800 };
const NARROW = { width: 320, height: 700 };

/** A person at a real browser, who looks at every page twice: on a desk, and in the dark on a small telephone. */
export interface Walker {
  readonly page: Page;
  /** Opens a path of the product. */
  open(path: string): Promise<void>;
  /** Types into fields, by their names. */
  fill(fields: Readonly<Record<string, string>>): Promise<void>;
  /** Presses the button with this label. */
  press(label: string): Promise<void>;
  /** Keeps both looks in the folder `.screenshots`, and answers what is wrong with the page; nothing is well. */
  look(name: string): Promise<string[]>;
  /** What the browser refused of our pages, or complained of. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** Starts the Chromium that `jest.config.mjs` has found. @param folder of the looks, below `.screenshots` */
export async function startWalker(folder: string): Promise<Walker> {
  const executablePath = process.env.CHROMIUM ?? '';
  const browser: Browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const context: BrowserContext = await browser.newContext({ viewport: DESKTOP });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text());
  });
  mkdirSync(join(SCREENSHOTS, folder), { recursive: true });
  let looks = 0;
  const look = async (name: string): Promise<string[]> => {
    looks += 1;
    const file = join(SCREENSHOTS, folder, `${String(looks).padStart(2, '0')}-${name}`);
    const faults = await faultsOf(page, name);
    await page.screenshot({ path: `${file}.png`, fullPage: true });
    await page.setViewportSize(NARROW);
    await page.emulateMedia({ colorScheme: 'dark' });
    faults.push(...(await faultsOf(page, `${name}, dark and narrow`)));
    await page.screenshot({ path: `${file}-dark.png`, fullPage: true });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(DESKTOP);
    return faults;
  };
  return {
    page,
    open: async (path) => void (await page.goto(pageUrl(path).href)),
    fill: async (fields) => {
      for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value);
    },
    press: (label) => page.click(`main button:text-is("${label}")`),
    look,
    complaints,
    close: () => browser.close(),
  };
}

interface InPage {
  readonly axe: { run(): Promise<AxeResults> };
  readonly document: { readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number } };
}

/** What axe finds, and whether one must scroll sideways. */
async function faultsOf(page: Page, name: string): Promise<string[]> {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => (globalThis as unknown as InPage).axe.run());
  const isTooWide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = (globalThis as unknown as InPage).document.documentElement;
    return scrollWidth > clientWidth;
  });
  const found = violations.map(({ id, help, nodes }) => `${name}: ${id}: ${help}: ${nodes[0]?.html ?? ''}`);
  return isTooWide ? [...found, `${name}: wider than the window`] : found;
}
