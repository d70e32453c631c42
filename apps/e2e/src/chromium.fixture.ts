import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { AxeResults } from 'axe-core';

const SCREENSHOTS = join(import.meta.dirname, '../../../.screenshots');
const { source: AXE } = createRequire(import.meta.url)('axe-core') as { source: string };
const DESKTOP = { width: 1_100, height: 800 };
const NARROW = { width: 320, height: 700 };

/** A person at a real browser, who looks at every page twice: on a desk, and in the dark on a small telephone. */
export interface Walker {
  readonly page: Page;
  /** Keeps both looks in the folder `.screenshots`, and answers what is wrong with the page; nothing is well. */
  look(name: string): Promise<string[]>;
  /** What the browser refused of our pages, or complained of. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** Starts the Chromium that `jest.config.mjs` has found. */
export async function startWalker(shape: string): Promise<Walker> {
  const executablePath = process.env.CHROMIUM ?? '';
  const browser: Browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const context: BrowserContext = await browser.newContext({ viewport: DESKTOP });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text());
  });
  const folder = join(SCREENSHOTS, shape);
  mkdirSync(folder, { recursive: true });
  let looks = 0;
  const look = async (name: string): Promise<string[]> => {
    looks += 1;
    const file = join(folder, `${String(looks).padStart(2, '0')}-${name}`);
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
  return { page, look, complaints, close: () => browser.close() };
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
