import type { XidEntry } from './entry.ts';

/** Faults of PCIe, NVLink and the link to the CPU. */
export const LINK_XIDS: readonly XidEntry[] = [
  {
    xids: [18],
    impact: 'reset',
    classes: ['driver', 'pcie'],
    meaning: { en: 'bus mastering disabled in the PCI configuration', zh: 'PCI 配置中的总线主控被关闭' },
    action: 'reboot',
  },
  {
    xids: [38],
    impact: 'watch',
    classes: ['driver'],
    meaning: { en: 'driver firmware error or watchdog', zh: '驱动固件错误或看门狗触发' },
    action: 'ask-vendor',
  },
  {
    xids: [74],
    impact: 'reset',
    classes: ['nvlink'],
    meaning: { en: 'NVLink error', zh: 'NVLink 错误' },
    action: 'nvlink',
  },
  {
    xids: [79],
    impact: 'fatal',
    classes: ['hardware', 'pcie', 'power', 'heat'],
    meaning: { en: 'the GPU has fallen off the bus', zh: 'GPU 掉卡（从总线上消失）' },
    action: 'power-cycle',
  },
  {
    xids: [108],
    impact: 'application',
    classes: ['application', 'nvlink'],
    meaning: { en: 'NVLink address translation error', zh: 'NVLink 地址转换错误' },
    action: 'nvlink-app',
  },
  {
    xids: [121],
    impact: 'watch',
    classes: ['hardware'],
    meaning: { en: 'C2C link error (corrected)', zh: 'C2C 链路错误（已纠正）' },
    action: 'ask-vendor',
  },
  {
    xids: [136],
    impact: 'reset',
    classes: ['nvlink'],
    meaning: { en: 'NVLink training failed', zh: 'NVLink 链路训练失败' },
    action: 'nvlink-training',
  },
  {
    xids: [137],
    impact: 'application',
    classes: ['application', 'nvlink'],
    meaning: { en: 'NVLink privilege error (illegal access to a peer)', zh: 'NVLink 权限错误（非法访问对端）' },
    action: 'nvlink-app',
  },
  {
    xids: [144, 145, 146, 147, 148, 149, 150],
    impact: 'watch',
    classes: ['nvlink'],
    meaning: {
      en: 'error in an NVLink unit (SAW, RLW, TLW, TREX, NVLPW, NETIR, MSE)',
      zh: 'NVLink 单元出错（SAW、RLW、TLW、TREX、NVLPW、NETIR、MSE）',
    },
    action: 'nvlink-unit',
  },
  {
    xids: [155],
    impact: 'reset',
    classes: ['nvlink', 'application'],
    meaning: { en: 'NVLink error defined by software', zh: 'NVLink 软件定义错误' },
    action: 'reset-then-driver',
  },
  {
    xids: [159],
    impact: 'watch',
    classes: ['hardware'],
    meaning: { en: 'CHI error outside of data', zh: 'CHI 非数据错误' },
    action: 'check-uvm',
  },
  {
    xids: [166, 170],
    impact: 'watch',
    classes: ['nvlink', 'security'],
    meaning: { en: 'error of secured NVLink (confidential computing)', zh: 'NVLink 加密链路错误（机密计算）' },
    action: 'ask-vendor',
  },
  {
    xids: [167],
    impact: 'reset',
    classes: ['hardware', 'pcie'],
    meaning: { en: 'fatal PCIe timeout', zh: 'PCIe 致命超时' },
    action: 'power-cycle',
  },
];
