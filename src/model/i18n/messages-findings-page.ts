import type { Text } from './text.ts';

/** What the dashboard says around findings; their own sentences come from the server. */
export const FINDINGS_PAGE_MESSAGES = {
  'web.nav.findings': { en: 'Findings', zh: '诊断' },
  'web.help.findings': { en: 'Go to the findings', zh: '前往诊断' },
  'web.findings.hour': { en: 'Findings of the last hour', zh: '最近一小时的诊断' },
  'web.findings.end': { en: 'Findings at the end of the recording', zh: '日志末段的诊断' },
  'web.findings.waiting': {
    en: 'The data is looked at after the first minute.',
    zh: '数据积累满一分钟后开始诊断。',
  },
  'web.findings.looked': { en: 'looked at {ago}: {from} to {to}', zh: '{ago}诊断，数据范围 {from} 至 {to}' },
  'web.findings.all': { en: 'All findings', zh: '全部诊断' },
  'web.findings.current': { en: 'going on', zh: '持续中' },
  'web.findings.over': { en: 'over', zh: '已结束' },
  'web.findings.health': { en: 'health', zh: '健康' },
  'web.findings.performance': { en: 'performance', zh: '性能' },
  'web.findings.lost': { en: '{time} of GPU time lost', zh: '损失 GPU 时间 {time}' },
  'web.findings.fix': { en: 'Fix', zh: '解决办法' },
  'web.findings.settle': { en: 'Would settle it: {metrics}', zh: '可据以判定的数据：{metrics}' },
  'web.findings.missing': { en: 'missing: {metrics}', zh: '缺少：{metrics}' },
  'web.findings.ruled-out': { en: 'Ruled out ({n})', zh: '已排除（{n}）' },
  'web.findings.not-evaluable': { en: 'Cannot be judged from this data ({n})', zh: '现有数据无法判断（{n}）' },
  'web.findings.failure': { en: 'The findings cannot be loaded', zh: '无法加载诊断' },
  'web.findings.older': {
    en: 'Any other time, as a file that can be passed on',
    zh: '查看其他时段，并导出可转发的报告',
  },
} as const satisfies Record<string, Text>;
