import { existsSync } from 'node:fs';
import type { Card } from './cards.ts';
import { Folder } from './folder.ts';
import type { GpuReader, Maker, Site } from './gpu-reader.ts';
import { runWorker } from './run-worker.ts';

/**
 * Worker for tests of everything that is common to makers. It reads one number, and hangs in doing so for as long as the
 * device has a file called `hang`.
 */
class FakeMaker implements Maker {
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  claims({ vendorId }: Card): boolean {
    return vendorId === '0xfake';
  }

  open(card: Card): GpuReader {
    const device = new Folder(card.devicePath, this.#site.progress);
    return {
      card,
      identity: {
        uuid: `GPU-${device.text('unique_id')}`,
        vendor: 'unknown',
        name: 'Fake GPU',
        pciBusId: card.slot,
        minor: null,
        serial: null,
        driverVersion: null,
      },
      powerPath: card.devicePath,
      isIntegrated: false,
      hasUnifiedVideo: false,
      read(row, { isSlow }) {
        while (existsSync(`${card.devicePath}/hang`)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
        if (isSlow) device.wake();
        row.put('utilization_ratio', device.number('busy', { divisor: 100, max: 1 }));
      },
      putUse() {},
    };
  }
}

runWorker((site) => new FakeMaker(site));
