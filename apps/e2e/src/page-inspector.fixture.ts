import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { AxeResults } from 'axe-core';
import { pageUrl } from './sign-up.js';

const SCREENSHOTS = join(import.meta.dirname, '../../../.screenshots');
const { source: AXE } = createRequire(import.meta.url)('axe-core') as { source: string };
const DESKTOP = { width: 1_100, height: 800 };
const NARROW = { width: 320, height: 700 };

/** Controls a real browser and inspects each page in two views: desktop, and dark on a small phone. */
export interface PageInspector {
  readonly page: Page;
  /** Opens a path of the product. */
  open(path: string): Promise<void>;
  /** Fills in fields by their names. */
  fill(fields: Readonly<Record<string, string>>): Promise<void>;
  /** Presses the button with this label. */
  press(label: string): Promise<void>;
  /** Stores both views in the folder `.screenshots`. Returns the faults of the page. */
  inspect(name: string): Promise<string[]>;
  /** Policy violations and errors that the browser reported. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** Starts the Chromium that `jest.config.mjs` has found. @param folder for the views, below `.screenshots` */
export async function startInspector(folder: string): Promise<PageInspector> {
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
  const inspect = async (name: string): Promise<string[]> => {
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
    inspect,
    complaints,
    close: () => browser.close(),
  };
}

interface InPage {
  readonly axe: { run(): Promise<AxeResults> };
  readonly document: { readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number } };
}

/** Returns the findings of axe, and one if the page scrolls sideways. */
async function faultsOf(page: Page, name: string): Promise<string[]> {
  // This is not a script of the page, which its content policy would block.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => (globalThis as unknown as InPage).axe.run());
  const isTooWide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = (globalThis as unknown as InPage).document.documentElement;
    return scrollWidth > clientWidth;
  });
  const found = violations.map(({ id, help, nodes }) => `${name}: ${id}: ${help}: ${nodes[0]?.html ?? ''}`);
  return isTooWide ? [...found, `${name}: wider than the window`] : found;
}
