import type { Device } from '../model/device.ts';

/** Under this name the readings of the machine itself are kept, beside those of its devices. */
export const HOST_UUID = 'host';

/** The machine in the table of devices, of which no reader is told. */
export const HOST_DEVICE: Device = {
  uuid: HOST_UUID,
  vendor: 'unknown',
  name: HOST_UUID,
  index: 0,
  pciBusId: null,
  minor: null,
  serial: null,
  driverVersion: null,
};
