import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDashboard } from './dashboard-build.ts';

/** What the whole dashboard may cost on the wire, and what has to arrive before the overview is on screen. */
const SCRIPT_LIMIT = 150_000;
const FIRST_SCRIPT_LIMIT = 115_000;
const STYLE_LIMIT = 12_000;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-dashboard-'));
  buildDashboard(folder);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Gzipped size of every file in `assets/` with an extension, by name. */
function sizes(extension: string): Map<string, number> {
  const assets = join(folder, 'assets');
  const files = readdirSync(assets).filter((file) => file.endsWith(extension));
  return new Map(files.map((file) => [file, gzipSync(readFileSync(join(assets, file)), { level: 9 }).length]));
}

function sum(all: Map<string, number>): number {
  return [...all.values()].reduce((total, size) => total + size, 0);
}

test('the scripts stay within their budget', () => {
  const scripts = sizes('.js');
  expect(scripts.size).toBeGreaterThan(0);
  expect(sum(scripts), JSON.stringify([...scripts])).toBeLessThan(SCRIPT_LIMIT);
});

test('the overview does not wait for the charts', () => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const first = new Map([...sizes('.js')].filter(([file]) => page.includes(file)));
  expect(first.size).toBe(1);
  expect(sum(first)).toBeLessThan(FIRST_SCRIPT_LIMIT);
});

test('the style sheets stay within their budget', () => {
  expect(sum(sizes('.css'))).toBeLessThan(STYLE_LIMIT);
});

test('the page refers only to its own files, relative to its base, and has nothing inline', () => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]);
  expect(addresses.filter((address) => address !== '/' && !address?.startsWith('./'))).toEqual([]);
  expect(page).toContain('<base href="/">');
  expect(page).not.toMatch(/<script>|<style|style="|onload=/);
});
