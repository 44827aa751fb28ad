import { metric } from '../../../model/catalogue.ts';
import type { ReadingSet } from '../../../model/reading-set.ts';
import type { RowReadings } from '../row-readings.ts';
import { blankReason, dcgmField, XID_FIELD } from './fields.ts';
import { currentName } from './names.ts';

const UTILISATION = metric('utilization_ratio');
const MEMORY_TEMPERATURE = metric('memory_temperature_celsius');

/** From DCGM 4.6 to 4.7 the field of this name changed from percent to a ratio. */
const AMBIGUOUS_FIELD = 'DCGM_FI_DEV_GPU_UTIL_RATIO';

/** Puts values as DCGM writes them into the readings of a device. */
export class DcgmValues {
  readonly #readings: RowReadings;
  #xid: number | undefined;

  constructor(readings: RowReadings) {
    this.#readings = readings;
  }

  begin(): void {
    this.#xid = undefined;
  }

  /** The value of a field. The first one stays. False for a field that the catalogue has no metric for. */
  add(field: string, written: string, title: string): boolean {
    const found = dcgmField(field);
    if (found === undefined) return this.#addOther(field, written, title);
    if (this.#readings.has(found.metric)) return true;
    // A card without a sensor at its memory reports 0.
    const isNoSensor = found.metric === MEMORY_TEMPERATURE && Number(written) === 0;
    const reason = isNoSensor ? 'not-supported' : blankReason(written);
    if (reason !== null) this.#readings.absent(found.metric, reason);
    else this.#readings.text(found.metric, written, found.scale, title);
    return true;
  }

  take(): ReadingSet {
    return this.#readings.take();
  }

  /** The last Xid, where it was among the fields. */
  xid(): { readonly lastXid?: number } {
    return this.#xid === undefined ? {} : { lastXid: this.#xid };
  }

  #addOther(field: string, written: string, title: string): boolean {
    if (field === AMBIGUOUS_FIELD) {
      this.#addAmbiguous(Number(written), title);
      return true;
    }
    if (currentName(field) !== XID_FIELD) return false;
    if (blankReason(written) === null && /^\d/.test(written)) this.#xid ??= Number(written);
    return true;
  }

  /** 1 may be one percent or all. */
  #addAmbiguous(value: number, title: string): void {
    if (this.#readings.has(UTILISATION)) return;
    if (value === 1) this.#readings.absent(UTILISATION, 'error');
    else this.#readings.number(UTILISATION, value, value > 1 ? 0.01 : 1, title);
  }
}
