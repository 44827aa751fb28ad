import type { Severity } from '../event.ts';
import type { Text } from '../i18n/text.ts';
import type { XidAction } from './actions.ts';

/** What an Xid does to the work on the GPU. The order is from worst to harmless. */
export const XID_IMPACTS = {
  fatal: { en: 'the GPU is out of service', zh: 'GPU 已无法使用' },
  reset: { en: 'the GPU needs a reset', zh: 'GPU 需要复位' },
  application: { en: 'only the application is affected', zh: '只影响出错的程序' },
  watch: { en: 'worth watching', zh: '需要留意' },
  info: { en: 'for information', zh: '仅供参考' },
} as const satisfies Record<string, Text>;

export type XidImpact = keyof typeof XID_IMPACTS;

/** How loud an event is for each impact: an application that died is worth a warning, a GPU that is out is not. */
export const IMPACT_SEVERITY: Readonly<Record<XidImpact, Severity>> = {
  fatal: 'critical',
  reset: 'critical',
  application: 'warning',
  watch: 'warning',
  info: 'info',
};

/** Where the cause lies, most likely first. */
export const XID_CLASSES = {
  application: { en: 'application', zh: '应用程序' },
  driver: { en: 'driver', zh: '驱动' },
  hardware: { en: 'hardware', zh: '硬件' },
  memory: { en: 'GPU memory', zh: '显存' },
  'host-memory': { en: 'host memory', zh: '主机内存' },
  pcie: { en: 'PCIe', zh: 'PCIe' },
  nvlink: { en: 'NVLink', zh: 'NVLink' },
  power: { en: 'power', zh: '供电' },
  heat: { en: 'heat', zh: '散热' },
  display: { en: 'display', zh: '显示' },
  security: { en: 'security', zh: '安全' },
  'follow-up': { en: 'follow-up of another Xid', zh: '其他 Xid 的后续' },
  test: { en: 'test', zh: '测试' },
  unknown: { en: 'unknown', zh: '未知' },
} as const satisfies Record<string, Text>;

type XidClass = keyof typeof XID_CLASSES;

/** What one number, or several that mean the same for different units, stands for. */
export interface XidEntry {
  readonly xids: readonly number[];
  /** Where severity depends on more than the number it is that of the worst case that is not rare. */
  readonly impact: XidImpact;
  readonly classes: readonly XidClass[];
  readonly meaning: Text;
  readonly action: XidAction;
}
