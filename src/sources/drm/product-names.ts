import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where distributions keep the list of PCI ids. */
const PCI_LISTS = ['usr/share/misc/pci.ids', 'usr/share/hwdata/pci.ids', 'usr/share/pci.ids'];

/** Read once per process and file: they have more than a megabyte. */
const texts = new Map<string, string>();

function textOf(root: string, paths: readonly string[]): string {
  const path = paths.map((place) => join(root || '/', place)).find((file) => existsSync(file));
  if (path === undefined) return '';
  let text = texts.get(path);
  if (text === undefined) {
    text = readFileSync(path, 'utf8');
    texts.set(path, text);
  }
  return text;
}

/**
 * The product behind a PCI id by the system's list, or null where that does not know it. Of `Navi 22 [Radeon RX 6700 XT]`
 * the part in brackets is what is printed on the box. Ids are four lower-case hexadecimal digits.
 */
export function pciProduct(root: string, vendorId: string, deviceId: string): string | null {
  const text = textOf(root, PCI_LISTS);
  const start = text.startsWith(`${vendorId}  `) ? 0 : text.indexOf(`\n${vendorId}  `) + 1;
  if (start === 0 && !text.startsWith(`${vendorId}  `)) return null;
  const rest = text.slice(start + 1);
  const end = /\n[0-9a-f]{4} {2}/.exec(rest)?.index ?? rest.length;
  const line = new RegExp(`\\n\\t${deviceId} {2}(.+)`).exec(rest.slice(0, end))?.[1]?.trim();
  if (line === undefined) return null;
  return /\[([^\]]+)\]$/.exec(line)?.[1] ?? line;
}

/** A list of `device, revision, name` lines, as libdrm has for AMD. Ids are hexadecimal without a prefix, in any case. */
export function listedProduct(root: string, path: string, deviceId: string, revision: string): string | null {
  for (const line of textOf(root, [path]).split('\n')) {
    const [device = '', rev = '', name = ''] = line.split(',').map((cell) => cell.trim());
    if (device.toLowerCase() === deviceId && Number.parseInt(rev, 16) === Number.parseInt(revision, 16) && name) {
      return name;
    }
  }
  return null;
}
