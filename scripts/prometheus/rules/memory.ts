import { type AlertRule, dcgm, dcgmOver, type Proof, turn } from '../rule.ts';

/** A counter that grows for a while; the neighbour's stands still. */
const grows = (series: string, step: string, rest: Partial<Proof> = {}): Proof => ({
  series: [[series, `0x8 0+${step}x8 _x0 ${Number(step) * 8}x280`, '3x300']],
  ...{ before: '1m', at: '4m', after: '20m', ...rest },
});

export const MEMORY_RULES: readonly AlertRule[] = [
  {
    alert: 'GpuEccUncorrectable',
    severity: 'critical',
    summary: {
      en: 'memory errors that could not be corrected on GPU {gpu} of {host}',
      zh: '{host} 的 GPU {gpu} 出现不可纠正的显存错误',
    },
    action: {
      en: 'Results may be wrong: end the job, drain the node, reset the GPU.',
      zh: '计算结果可能有误：终止作业，排空节点并复位 GPU。',
    },
    gpulse: {
      expression: 'increase(gpulse_ecc_uncorrected_volatile_total[10m]) > 0',
      proofs: [grows('gpulse_ecc_uncorrected_volatile_total', '1')],
    },
    dcgm: {
      expression: `${dcgmOver('increase', 'ECC_DBE_VOL_TOTAL', '10m')} > 0`,
      proofs: [grows('DCGM_FI_DEV_ECC_DBE_VOL_TOTAL', '1')],
    },
  },
  {
    alert: 'GpuEccCorrectableBurst',
    severity: 'warning',
    holdFor: '5m',
    summary: {
      en: '{value} corrected memory errors within an hour on GPU {gpu} of {host}',
      zh: '{host} 的 GPU {gpu} 一小时内出现 {value} 次已纠正的显存错误',
    },
    action: {
      en: 'A burst that goes on announces worse ones: plan a reset, and watch the remapped rows.',
      zh: '持续突增往往预示更严重的错误：请安排复位，并关注行重映射。',
    },
    gpulse: {
      expression: 'increase(gpulse_ecc_corrected_volatile_total[1h]) > 100',
      proofs: [
        {
          series: [['gpulse_ecc_corrected_volatile_total', '0+1x240 240x300', '0+0.25x540']],
          ...{ before: '10m', at: '60m', after: '125m', shown: '240' },
        },
      ],
    },
    dcgm: {
      expression: `${dcgmOver('increase', 'ECC_SBE_VOL_TOTAL', '1h')} > 100`,
      proofs: [
        {
          series: [['DCGM_FI_DEV_ECC_SBE_VOL_TOTAL', '0+1x240 240x300', '0+0.25x540']],
          ...{ before: '10m', at: '60m', after: '125m', shown: '240' },
        },
      ],
    },
  },
  {
    alert: 'GpuRowRemapFailure',
    severity: 'critical',
    holdFor: '1m',
    summary: {
      en: 'memory of GPU {gpu} of {host} can no longer be repaired: exchange it',
      zh: '{host} 的 GPU {gpu} 显存已无法修复，请更换',
    },
    action: { en: 'Drain the node and send the card in.', zh: '排空节点并送修显卡。' },
    gpulse: {
      expression: 'gpulse_remapped_rows_failure > 0',
      proofs: [turn([['gpulse_remapped_rows_failure', '0', '1']])],
    },
    dcgm: {
      expression: `${dcgm('ROW_REMAP_FAILURE')} > 0`,
      proofs: [turn([['DCGM_FI_DEV_ROW_REMAP_FAILURE', '0', '1']]), turn([['DCGM_FI_DEV_ROW_REMAP_FAILED', '0', '1']])],
    },
  },
  {
    alert: 'GpuRowRemapPending',
    severity: 'warning',
    holdFor: '5m',
    summary: {
      en: 'GPU {gpu} of {host} repairs its memory at the next reset',
      zh: '{host} 的 GPU {gpu} 将在下次复位时修复显存',
    },
    action: { en: 'Reset the GPU when the node is drained anyway.', zh: '在节点排空时复位 GPU。' },
    gpulse: {
      expression: 'gpulse_remapped_rows_pending > 0 or gpulse_retired_pages_pending > 0',
      proofs: [turn([['gpulse_remapped_rows_pending', '0', '1']]), turn([['gpulse_retired_pages_pending', '0', '1']])],
    },
    dcgm: {
      expression: `${dcgm('ROW_REMAP_PENDING')} > 0 or ${dcgm('RETIRED_PENDING')} > 0`,
      proofs: [turn([['DCGM_FI_DEV_ROW_REMAP_PENDING', '0', '1']]), turn([['DCGM_FI_DEV_RETIRED_PENDING', '0', '2']])],
    },
  },
  {
    alert: 'GpuRowRemapNew',
    severity: 'warning',
    remark: 'delta rather than increase: a counter that a reset of the driver sets back is no new row.',
    summary: {
      en: 'rows of memory were exchanged on GPU {gpu} of {host} after uncorrectable errors',
      zh: '{host} 的 GPU {gpu} 因不可纠正错误新增了行重映射',
    },
    action: {
      en: 'The job that met the error is suspect. Watch how many spare rows are left.',
      zh: '遇到该错误的作业结果可疑，请留意剩余的备用行。',
    },
    gpulse: {
      expression: 'delta(gpulse_remapped_rows_uncorrectable_total[1h]) > 0',
      proofs: [grows('gpulse_remapped_rows_uncorrectable_total', '1', { after: '70m' })],
    },
    dcgm: {
      expression: `${dcgmOver('delta', 'UNCORRECTABLE_REMAPPED_ROWS', '1h')} > 0`,
      proofs: [grows('DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS', '1', { after: '70m' })],
    },
  },
  {
    alert: 'GpuRetiredPages',
    severity: 'warning',
    holdFor: '10m',
    summary: {
      en: '{value} pages of memory are retired on GPU {gpu} of {host}',
      zh: '{host} 的 GPU {gpu} 已停用 {value} 个显存页',
    },
    action: {
      en: 'GPUs before Ampere retire pages; from 60 on the card is to be exchanged.',
      zh: 'Ampere 之前的 GPU 采用停用页机制，达到 60 页应更换显卡。',
    },
    gpulse: {
      expression: 'gpulse_retired_pages_corrected_total + gpulse_retired_pages_uncorrected_total > 15',
      proofs: [
        {
          series: [
            ['gpulse_retired_pages_corrected_total', '10x8 14x100', '10x120'],
            ['gpulse_retired_pages_uncorrected_total', '2x120', '2x120'],
          ],
          ...{ before: '11m', at: '13m', shown: '16' },
        },
      ],
    },
    dcgm: {
      expression: `${dcgm('RETIRED_SBE')} + ${dcgm('RETIRED_DBE')} > 15`,
      proofs: [
        {
          series: [
            ['DCGM_FI_DEV_RETIRED_SBE', '10x8 14x100', '10x120'],
            ['DCGM_FI_DEV_RETIRED_DBE', '2x120', '2x120'],
          ],
          ...{ before: '11m', at: '13m', shown: '16' },
        },
      ],
    },
  },
];
