import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { commandOf } from '../scripts/parts.ts';
import { ensureDashboard } from './dashboard-build.ts';

/** Null where there is no browser to test with. */
export const CHROMIUM = commandOf('Chromium');

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** For tests only: a browser with a profile of its own that watches what goes wrong in its pages. */
export class TestBrowser {
  readonly context: BrowserContext;
  /** A folder that goes with the browser. */
  readonly profile: string;
  /** What went wrong in the page opened last, and where it sent requests. */
  #faults: string[] = [];
  #origins = new Set<string>();

  private constructor(context: BrowserContext, profile: string) {
    this.context = context;
    this.profile = profile;
  }

  static async launch(): Promise<TestBrowser> {
    ensureDashboard();
    const profile = mkdtempSync(join(tmpdir(), 'gpulse-browser-'));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: CHROMIUM ?? '',
      args: FLAGS,
      viewport: { width: 1440, height: 900 },
      locale: 'en-US',
      timezoneId: 'UTC',
    });
    return new TestBrowser(context, profile);
  }

  /** Opens a path, relative to the dashboard's address, and watches what happens in the page. */
  async open({ url }: { readonly url: string }, path = ''): Promise<Page> {
    const page = await this.context.newPage();
    this.#faults = [];
    this.#origins = new Set();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.#faults.push(message.text());
    });
    page.on('pageerror', (error) => this.#faults.push(error.message));
    page.on('request', (request) => this.#origins.add(new URL(request.url()).origin));
    await page.goto(new URL(path, url).href);
    return page;
  }

  /** Nothing went wrong in the page opened last, and it asked nobody but its server. */
  expectNoFaults({ url }: { readonly url: string }): void {
    expect(this.#faults).toEqual([]);
    expect([...this.#origins]).toEqual([new URL(url).origin]);
  }

  async closePages(): Promise<void> {
    for (const page of this.context.pages()) await page.close();
  }

  async close(): Promise<void> {
    await this.context.close();
    rmSync(this.profile, { recursive: true });
  }
}
