import { readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { AppError } from '../../model/errors.ts';
import type { Probe } from '../../model/ports.ts';
import { type Card, CardList } from './cards.ts';
import { DrmSource, type DrmSourceOptions } from './drm-source.ts';
import { textOrNull } from './read-file.ts';

/** What a probe has to know of a maker before it starts a worker. */
export interface ProbeFacts {
  readonly name: string;
  /** Word for the maker in messages. */
  readonly vendor: string;
  /** `0x1002`. */
  readonly vendorId: string;
  /** Kernel module to load. */
  readonly module: string;
  /** PCI classes of its GPUs: display controllers begin with 03, some accelerators are in 12. */
  readonly classes: RegExp;
  readonly file: URL;
  claims(card: Card): boolean;
}

/** Opens the GPUs of one maker. None is a refused probe with the cause; a worker is started only where there are some. */
export async function probeDrm(facts: ProbeFacts, options: DrmSourceOptions): Promise<Probe> {
  const sys = `${options.root ?? ''}/sys`;
  if (!new CardList(sys).look().some(facts.claims)) return { ok: false, reason: explain(facts, sys) };
  const source = new DrmSource(facts.name, facts.file, options);
  try {
    await source.open();
    return { ok: true, source };
  } catch (error) {
    await source.close();
    if (error instanceof AppError) return { ok: false, reason: error };
    throw error;
  }
}

function explain({ vendor, vendorId, module, classes }: ProbeFacts, sys: string): AppError {
  const place = findOnBus(sys, vendorId, classes);
  if (place === null) return new AppError('DRM_NO_GPU', { vendor, path: `${sys}/class/drm` });
  const driver = driverOf(`${sys}/bus/pci/devices/${place}`) ?? '-';
  return new AppError('DRM_DRIVER_NOT_BOUND', { vendor, place, driver, module });
}

/** PCI address of a device by this maker (`0x10de`) and of one of these classes, whoever drives it; null where there is none. */
export function findOnBus(sys: string, vendorId: string, classes: RegExp): string | null {
  const bus = `${sys}/bus/pci/devices`;
  const found = list(bus).find(
    (slot) =>
      textOrNull(`${bus}/${slot}/vendor`)?.toLowerCase() === vendorId &&
      classes.test(textOrNull(`${bus}/${slot}/class`) ?? ''),
  );
  return found ?? null;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function driverOf(folder: string): string | null {
  try {
    return basename(readlinkSync(`${folder}/driver`));
  } catch {
    return null;
  }
}
