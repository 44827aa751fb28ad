import type { XidImpact } from '../../../src/model/xid/entry.ts';
import { XID_TABLE } from '../../../src/model/xid-table.ts';
import { type AlertRule, dcgm, turn } from '../rule.ts';

const numbersOf = (...impacts: readonly XidImpact[]): string =>
  XID_TABLE.filter(({ impact }) => impacts.includes(impact))
    .flatMap(({ xids }) => xids)
    .sort((a, b) => a - b)
    .join('|');

const BAD = numbersOf('fatal', 'reset');
const APPLICATION = numbersOf('application');
const HARMLESS = numbersOf('info');

/** Xids that came within ten minutes. */
const recent = (matcher: string): string => `time() - gpulse_xid_last_timestamp_seconds{${matcher}} < 600`;

const XID = dcgm('XID_ERRORS');

/**
 * dcgm-exporter's gauge keeps the last Xid for ever, so that only a change of it is news. Its labels `err_code` and
 * `err_msg` change with it, and would make a new series of every change.
 */
const changed = (classes: readonly (readonly [name: string, xids: string])[], wanted: string): string => {
  const labelled = classes.reduce(
    (inner, [name, xids]) => `label_replace(${inner}, "impact", "${name}", "xid", "${xids}")`,
    `count_values without (err_code, err_msg) ("xid", ${XID})`,
  );
  return `${labelled}
and on (impact) label_replace(vector(1), "impact", "${wanted}", "", "")
and ignoring (xid, impact) changes(max without (err_code, err_msg) (${XID})[10m:15s]) > 0`;
};

/** The neighbour has an Xid of another kind. */
const xidProof = (xid: string, other: string, impact: string) => ({
  gpulse: {
    series: [
      [`gpulse_xid_last_timestamp_seconds{xid="${xid}"}`, '_x8 120x120', null],
      [`gpulse_xid_last_timestamp_seconds{xid="${other}"}`, '_x120', '_x8 120x120'],
    ] as const,
    before: '1m',
    at: '4m',
    after: '13m',
    labels: { xid },
  },
  dcgm: {
    series: [
      [`DCGM_FI_DEV_XID_ERRORS{err_code="0",err_msg="No Error"}`, '0x8 stale', '0x8 stale'],
      [`DCGM_FI_DEV_XID_ERRORS{err_code="1",err_msg="x"}`, `_x8 ${xid}x100`, `_x8 ${other}x100`],
    ] as const,
    before: '1m',
    at: '4m',
    after: '14m',
    labels: { xid, impact },
  },
});

const FATAL = xidProof('79', '31', 'bad');
const APP = xidProof('31', '79', 'application');
const WATCH = xidProof('999', '45', 'unknown');

export const DEVICE_RULES: readonly AlertRule[] = [
  {
    alert: 'GpuLost',
    severity: 'critical',
    holdFor: '1m',
    summary: { en: 'GPU {gpu} of {host} fell off the bus', zh: '{host} 的 GPU {gpu} 已掉卡' },
    action: {
      en: 'Drain the node, read its kernel log, reset the GPU or restart; exchange the card if it happens again.',
      zh: '排空节点，查看内核日志，复位 GPU 或重启；反复出现时更换显卡。',
    },
    gpulse: {
      expression: 'gpulse_device_state{state="lost"} == 1',
      proofs: [turn([['gpulse_device_state{state="lost"}', '0', '1']], { labels: { state: 'lost' } })],
    },
  },
  {
    alert: 'GpuMissing',
    severity: 'critical',
    holdFor: '1m',
    summary: {
      en: '{host} shows {value} GPUs, which is less than within the last hour',
      zh: '{host} 当前只有 {value} 块 GPU，少于最近一小时',
    },
    action: {
      en: 'Read the kernel log of the node. After a planned removal it ends by itself within the hour.',
      zh: '查看该节点的内核日志。若为计划内移除，一小时内会自行恢复。',
    },
    dcgm: {
      expression: `count by (instance, Hostname, hostname) (count by (instance, Hostname, hostname, UUID) (${dcgm('GPU_TEMP')}))
< max_over_time(count by (instance, Hostname, hostname) (count by (instance, Hostname, hostname, UUID) (${dcgm('GPU_TEMP')}))[1h:1m])`,
      proofs: [
        {
          series: [
            ['DCGM_FI_DEV_GPU_TEMP', '50x8 stale', '50x400'],
            ['DCGM_FI_DEV_GPU_TEMP{GPU_I_ID="1"}', '50x8 stale', '50x400'],
          ],
          ...{ before: '1m', at: '10m', after: '75m', shown: '1', without: ['gpu', 'UUID'] },
        },
      ],
    },
  },
  {
    alert: 'GpuStale',
    severity: 'warning',
    holdFor: '5m',
    remark: 'Not while "gpulse release" has let go of the GPUs on purpose.',
    summary: { en: 'GPU {gpu} of {host} gives no new data', zh: '{host} 的 GPU {gpu} 不再提供新数据' },
    action: {
      en: 'A call of the driver hangs. Its processes may be stuck as well: look at them before you reset it.',
      zh: '驱动调用挂起，其上的进程也可能卡住；复位前请先检查这些进程。',
    },
    gpulse: {
      expression:
        'gpulse_device_state{state="stale"} == 1 and on (instance) gpulse_source_state{state="released"} == 0',
      proofs: [
        {
          series: [
            ['gpulse_device_state{state="stale"}', '0x7 1x32 0x80', '0x120'],
            ['gpulse_source_state{state="released"}', '0x120', null],
          ],
          ...{ before: '1m', at: '9m', after: '20m', labels: { state: 'stale' } },
        },
        // Released for twelve minutes, and still without data after that.
        {
          series: [
            ['gpulse_device_state{state="stale"}', '0x7 1x112', '0x120'],
            ['gpulse_source_state{state="released"}', '1x48 0x72', null],
          ],
          ...{ before: '11m', at: '20m', labels: { state: 'stale' } },
        },
      ],
    },
  },
  {
    alert: 'GpuXidFatal',
    severity: 'critical',
    remark:
      'Numbers by their effect, from the table of docs/xid.md. In DCGM names a second Xid of one number is not seen: ' +
      'the gauge only keeps the last.',
    summary: {
      en: 'Xid {xid} on GPU {gpu} of {host}: it must be reset or drained',
      zh: '{host} 的 GPU {gpu} 出现 Xid {xid}：需要复位或排空',
    },
    action: {
      en: 'docs/xid.md says what this number means and what to do.',
      zh: '该编号的含义与处理办法见 docs/xid.md。',
    },
    gpulse: { expression: recent(`xid=~"${BAD}"`), proofs: [FATAL.gpulse] },
    dcgm: { expression: changed([['bad', BAD]], 'bad'), proofs: [FATAL.dcgm] },
  },
  {
    alert: 'GpuXidApplication',
    severity: 'info',
    summary: {
      en: 'Xid {xid} on GPU {gpu} of {host}: a program failed, the GPU is well',
      zh: '{host} 的 GPU {gpu} 出现 Xid {xid}：程序出错，GPU 正常',
    },
    action: {
      en: 'For the owner of the job: look at the program. The same number on several jobs of one GPU is worth a diagnosis.',
      zh: '由作业所有者检查程序。同一块 GPU 上多个作业出现相同编号时，应检测硬件。',
    },
    gpulse: { expression: recent(`xid=~"${APPLICATION}"`), proofs: [APP.gpulse] },
    dcgm: { expression: changed([['application', APPLICATION]], 'application'), proofs: [APP.dcgm] },
  },
  {
    alert: 'GpuXidUnknown',
    severity: 'warning',
    summary: {
      en: 'Xid {xid} on GPU {gpu} of {host}: worth watching, or not known',
      zh: '{host} 的 GPU {gpu} 出现 Xid {xid}：需要留意，或尚未收录',
    },
    action: {
      en: 'Read the kernel log around it and docs/xid.md; watch whether it comes again.',
      zh: '查看前后的内核日志和 docs/xid.md，并留意是否再次出现。',
    },
    gpulse: { expression: recent(`xid!~"${BAD}|${APPLICATION}|${HARMLESS}"`), proofs: [WATCH.gpulse] },
    dcgm: {
      expression: changed(
        [
          ['unknown', '[1-9][0-9]*'],
          ['known', `${BAD}|${APPLICATION}|${HARMLESS}`],
        ],
        'unknown',
      ),
      proofs: [WATCH.dcgm],
    },
  },
];
