// Chromium with a whole stack, for the stories in browser/. Records problems and requests of each
// page.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { lineReport } from '@parley/testing/servers';
import { removeHome, startStack, type Stack, type StackConsole, type StackOptions } from '@parley/dev/stack';
import { findChromium, eventually } from '@parley/testing';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Folder of the screenshots. */
const pictures = join(root, '.parley', 'screenshots');
mkdirSync(pictures, { recursive: true });

export interface BrowserUnderTest {
  readonly browser: Browser;
  readonly stack: Stack & { readonly console: StackConsole };
  /**
   * Runs a step. On failure it prints the texts and complaints of all open pages, and takes
   * screenshots.
   */
  step<T>(what: string, work: () => Promise<T>): Promise<T>;
  /** Every page that a story has opened. */
  readonly opened: Watched[];
  stop(): Promise<void>;
}

/**
 * @param services of the stack; default: all
 * @param more further environment variables, and the port of the first service
 */
export async function startBrowser(
  services?: StackOptions['services'],
  more: Partial<Pick<StackOptions, 'env' | 'portBase'>> = {},
): Promise<BrowserUnderTest> {
  const here = findChromium(); // before anything is started
  const home = join(root, '.parley', `console-browser-${process.pid}`);
  const env = { ...process.env, QUEUE_URL: process.env['TEST_REDIS_URL'], ...more.env };
  const report = lineReport(
    (line) => console.log(line),
    () => performance.now(),
  );
  const stack = await startStack({
    root,
    home,
    env,
    report,
    console: true,
    released: true,
    throwaway: true,
    ...(services && { services }),
    ...(more.portBase && { portBase: more.portBase }),
  });
  const browser = await chromium.launch(here);
  const opened: Watched[] = [];
  return {
    browser,
    opened,
    stack: stack as BrowserUnderTest['stack'],
    step: async (what, work) => {
      try {
        const result = await work();
        console.log(`  ✓ ${what}`);
        return result;
      } catch (error) {
        console.log(`  ✗ ${what}`);
        const pages = browser.contexts().flatMap((context) => context.pages());
        for (const [at, page] of pages.entries()) await picture(page, `failed-${at}`);
        for (const page of pages) console.log(page.url(), await page.locator('body').innerText());
        for (const { page, complaints } of opened) console.error(page.url(), complaints);
        throw error;
      }
    },
    stop: async () => {
      await browser.close();
      await stack.stop();
      await removeHome(home);
    },
  };
}

export interface Watched {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors, warnings, policy violations and requests to other origins. */
  readonly complaints: string[];
  /** Resolves when no request except streams is in flight. */
  settled(): Promise<unknown>;
}

/** A page without requests for this long has loaded. */
const QUIET_MS = 500;

export type Theme = 'light' | 'dark';

export async function openPage(
  { browser, stack, opened }: BrowserUnderTest,
  look: { readonly theme?: Theme; readonly width?: number } = {},
): Promise<Watched> {
  const { theme = 'light', width = 1280 } = look;
  const viewport = { width, height: heightAt(width) };
  const context = await browser.newContext({ viewport, colorScheme: theme });
  const page = await context.newPage();
  const complaints: string[] = [];
  await page.exposeFunction('__refused', (what: string) => complaints.push(`policy: ${what}`));
  // A string, because tsx adds a helper to functions that the page lacks.
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', (event) => {
      void window.__refused(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ' ' + event.sample);
    });`,
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(stack.console.baseUrl) && !/^(?:data|blob):/.test(url))
      complaints.push(`asked ${url}`);
  });
  const underWay = new Set<object>();
  let changedAt = 0;
  page.on('framenavigated', (frame) => frame === page.mainFrame() && underWay.clear());
  page.on('request', (request) => {
    changedAt = performance.now();
    if (!new URL(request.url()).pathname.endsWith('/stream')) underWay.add(request);
  });
  for (const end of ['requestfinished', 'requestfailed'] as const)
    page.on(end as 'requestfinished', (request) => {
      changedAt = performance.now();
      underWay.delete(request);
    });
  const isQuiet = () => underWay.size === 0 && performance.now() - changedAt > QUIET_MS;
  const settled = () => eventually(isQuiet, { timeoutMs: 30_000 });
  const watched = { context, page, complaints, settled };
  opened.push(watched);
  return watched;
}

export const picture = (page: Page, name: string) =>
  page.screenshot({ path: join(pictures, `console-${name}.png`) });

/** Violations of WCAG 2.2 AA on the page. */
export async function accessProblems(page: Page): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  // axe cannot inspect a frame without scripts.
  const { violations } = await new AxeBuilder({ page }).withTags(tags).exclude('iframe[sandbox]').analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`,
  );
}

/** Its path, and what it shows when it has loaded unless that is a heading. */
export type Place = string | { readonly path: string; readonly ready: string };

const WIDTHS = [1280, 390];

/**
 * Checks every page in both themes and two widths, with screenshots. Returns the problems. The
 * themes are looked at side by side. A dark page is resized to the second width, a light one is
 * loaded again: colours do not depend on how a page came to its width.
 */
export async function lookAt(
  under: BrowserUnderTest,
  signedIn: Watched,
  places: Readonly<Record<string, Place>>,
): Promise<string[]> {
  const cookies = await signedIn.context.cookies();
  const problems = await Promise.all(
    (['light', 'dark'] as const).map(async (theme) => {
      const watched = await openPage(under, { theme });
      await watched.context.addCookies(cookies);
      const found: string[] = [];
      await under.step(`every page, ${theme}`, async () => {
        for (const [name, place] of Object.entries(places))
          for (const width of WIDTHS) {
            await watched.page.setViewportSize({ width, height: heightAt(width) });
            if (theme === 'light' || width === WIDTHS[0]) await load(under, watched, place);
            found.push(...(await problemsAt(watched, { name, theme, width })));
          }
      });
      await watched.context.close();
      return found;
    }),
  );
  return problems.flat();
}

async function load(under: BrowserUnderTest, { page, settled }: Watched, place: Place): Promise<void> {
  const { path, ready } = typeof place === 'string' ? { path: place, ready: 'h1' } : place;
  await page.goto(under.stack.console.baseUrl + path);
  await page.locator(ready).first().waitFor({ state: 'attached' });
  await page.locator('[role=status]', { hasText: 'Loading' }).first().waitFor({ state: 'detached' });
  await settled();
}

const heightAt = (width: number) => (width < 600 ? 844 : 800);

async function problemsAt(
  { page, complaints }: Watched,
  { name, theme, width }: { readonly name: string; readonly theme: Theme; readonly width: number },
): Promise<string[]> {
  await picture(page, `${name}-${theme}-${width}`); // draws a page that was resized
  const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  const found = [
    ...(tooWide > 0 ? [`${tooWide} px too wide`] : []),
    ...(await accessProblems(page)),
    ...complaints.splice(0),
  ];
  return found.map((problem) => `${name}, ${theme}, ${width}: ${problem}`);
}
