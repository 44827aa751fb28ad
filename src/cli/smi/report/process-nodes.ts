import { metric } from '../../../model/catalogue.ts';
import type { DeviceView } from '../../../model/reader.ts';
import { isPresent, type Reading } from '../../../model/reading.ts';
import type { Card } from '../cards.ts';
import { missing, plainText, readingCell } from '../cell.ts';
import { type CardProcess, PROCESS_TYPES, processesOf, programOf } from '../processes.ts';
import { group, leaf, type Node } from './node.ts';
import { NA } from './values.ts';

/** The processes of a card; one word where there is none or they cannot be listed. */
export function processesNode(card: Card): Node {
  const listed = processesOf(card);
  if ('absent' in listed)
    return { ...leaf('Processes', 'processes', plainText(missing(listed.absent))), display: 'PIDS' };
  if (listed.length === 0) return { ...leaf('Processes', 'processes', 'None', ''), display: 'PIDS' };
  const entries = listed.map((entry) => entryNodes(entry, card));
  return {
    ...group(
      'Processes',
      'processes',
      entries.flatMap(({ text, xml }) => [...text, group(null, 'process_info', xml)]),
      'PIDS',
    ),
    isNarrow: true,
  };
}

function entryNodes({ process, gpuInstance, computeInstance }: CardProcess, { view }: Card) {
  const gi = String(gpuInstance ?? NA);
  const ci = String(computeInstance ?? NA);
  const pid = String(process.pid);
  const type = PROCESS_TYPES[process.kind];
  const name = programOf(process) ?? NA;
  const memory = memoryText(process.memoryBytes, view);
  const text: Node[] = [
    leaf('GPU instance ID', null, gi),
    leaf('Compute instance ID', null, ci),
    {
      ...leaf('Process ID', null, pid),
      nodes: [leaf('Type', null, type), leaf('Name', null, name), leaf('Used GPU Memory', null, memory)],
    },
  ];
  const xml: Node[] = [
    leaf(null, 'gpu_instance_id', gi),
    leaf(null, 'compute_instance_id', ci),
    leaf(null, 'pid', pid),
    leaf(null, 'type', type),
    leaf(null, 'process_name', name),
    leaf(null, 'used_memory', memory),
  ];
  return { text, xml };
}

/** Where Windows manages the memory of a card its driver does not know who holds what. */
function memoryText(memory: Reading, { readings, device }: DeviceView): string {
  const model = metric('driver_model').states?.find(({ value }) => value === readings.get('driver_model'))?.smi;
  if (!isPresent(memory) && model === 'WDDM') return 'Not available in WDDM driver model';
  return plainText(readingCell(memory, 'MiB', device, undefined));
}
