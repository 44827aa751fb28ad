import { XID_ACTIONS } from '../xid/actions.ts';
import { XID_IMPACTS } from '../xid/entry.ts';
import { recoveryAction, xidEntry, xidImpact } from '../xid-table.ts';
import { fill, type Lang, type Params, type Text } from './text.ts';

/** The parts of a sentence about an Xid or SXid. */
export const XID_PHRASES = {
  gpu: { en: 'GPU {index}', zh: 'GPU {index}' },
  gpuAt: { en: 'the GPU at {bus}', zh: '位于 {bus} 的 GPU' },
  gpuUnknown: { en: 'a GPU', zh: '某块 GPU' },
  place: { en: ' at {bus}', zh: '（{bus}）' },
  times: { en: ', {count} times', zh: '，共 {count} 次' },
  process: { en: ', process {pid} ({name})', zh: '，进程 {pid}（{name}）' },
  pid: { en: ', process {pid}', zh: '，进程 {pid}' },
  instance: { en: ', GPU instance {gpuInstance}', zh: '，GPU 实例 {gpuInstance}' },
  cause: { en: ', following Xid {causedBy}', zh: '，由 Xid {causedBy} 引起' },
  needs: { en: 'The driver asks for: {needed}.', zh: '驱动要求：{needed}。' },
  reboot: { en: 'the machine needs a reboot', zh: '机器需要重启' },
} as const satisfies Record<string, Text>;

/** What the sentence for an Xid or SXid is filled with, from the parameters of its event. */
export function xidWords(params: Params, lang: Lang): Params {
  const say = (key: keyof typeof XID_PHRASES, more: Params = params): string => fill(XID_PHRASES[key][lang], more);
  // Events stored by the first version call it `code`.
  const xid = Number(params['xid'] ?? params['code']);
  const raw = String(params['raw'] ?? '');
  const { meaning, action } = xidEntry(xid);
  const needed = xid === 154 ? recoveryAction(raw) : null;
  return {
    ...params,
    xid,
    raw,
    gpu: say(params['index'] !== undefined ? 'gpu' : params['bus'] !== undefined ? 'gpuAt' : 'gpuUnknown'),
    place: params['bus'] === undefined ? '' : say('place'),
    circumstances: circumstances(params, say),
    meaning: meaning[lang],
    impact: /reboot/i.test(needed ?? '') ? say('reboot') : XID_IMPACTS[xidImpact(xid, raw)][lang],
    action: needed === null ? XID_ACTIONS[action][lang] : say('needs', { needed }),
  };
}

/** How often, for which process, and after which other Xid. */
function circumstances(params: Params, say: (key: keyof typeof XID_PHRASES) => string): string {
  const { count = 1, pid, name, gpuInstance, causedBy } = params;
  return [
    gpuInstance === undefined ? '' : say('instance'),
    Number(count) > 1 ? say('times') : '',
    pid === undefined ? '' : say(name === undefined ? 'pid' : 'process'),
    causedBy === undefined ? '' : say('cause'),
  ].join('');
}
