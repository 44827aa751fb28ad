import type { Card } from '../drm/cards.ts';
import type { Identity, Site } from '../drm/gpu-reader.ts';
import { longBusId } from '../drm/pci.ts';
import { listedProduct, pciProduct } from '../drm/product-names.ts';
import { lineOrNull, textOrNull } from '../drm/read-file.ts';
import type { KfdNode } from './kfd.ts';

const VENDOR_ID = '1002';
/** Names by device and revision, which libdrm brings along. */
const NAMES = 'usr/share/libdrm/amdgpu.ids';

/** Who a card is. All of it is known to the kernel since the driver was loaded: a card that sleeps goes on sleeping. */
export function identifyCard(card: Card, site: Site, node: KfdNode | null): Identity {
  const file = (name: string): string | null => lineOrNull(`${card.devicePath}/${name}`);
  const facts = {
    ...fact('vbios', file('vbios_version')),
    ...fact('part-number', file('product_number')),
    ...fact('architecture', node?.architecture ?? null),
  };
  return {
    ...keyOf(uuidOf(file('unique_id')) ?? uuidOf(node?.uniqueId ?? null), card),
    vendor: 'amd',
    name: file('product_name') ?? nameById(card, site.root),
    pciBusId: card.slot === null ? null : longBusId(card.slot),
    minor: null,
    serial: file('serial_number'),
    driverVersion: textOrNull(`${site.sys}/module/amdgpu/version`) ?? textOrNull(`${site.proc}/sys/kernel/osrelease`),
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
  };
}

/** The form in which ROCm takes it (`ROCR_VISIBLE_DEVICES`). Zero is none. */
export function uuidOf(uniqueId: string | null): string | null {
  const digits = uniqueId?.toLowerCase().replace(/^0x/, '') ?? '';
  return /^[0-9a-f]{1,16}$/.test(digits) && !/^0+$/.test(digits) ? `GPU-${digits.padStart(16, '0')}` : null;
}

function keyOf(uuid: string | null, { slot, name }: Card): Pick<Identity, 'uuid' | 'uuidIsDerived'> {
  if (uuid !== null) return { uuid };
  return { uuid: slot === null ? `GPU-${name}` : `GPU-pci-${longBusId(slot)}`, uuidIsDerived: true };
}

function nameById({ devicePath, deviceId }: Card, root: string): string {
  if (deviceId === null) return 'AMD GPU';
  const revision = textOrNull(`${devicePath}/revision`)?.replace(/^0x/i, '') ?? '';
  const listed = listedProduct(root, NAMES, deviceId, revision);
  if (listed !== null) return listed;
  const product = pciProduct(root, VENDOR_ID, deviceId);
  return product === null ? `AMD GPU ${VENDOR_ID}:${deviceId}` : `AMD ${product}`;
}

function fact<Name extends string>(name: Name, text: string | null): Partial<Record<Name, string>> {
  return text === null ? {} : ({ [name]: text } as Partial<Record<Name, string>>);
}
