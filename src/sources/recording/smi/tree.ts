import type { MetricId } from '../../../model/catalogue.ts';
import { CLOCK_EVENT_REASONS } from '../../../model/clock-events.ts';
import { metricField, reasonField, type SmiField, smiField } from './fields.ts';
import { inGroup, type Leaf } from './leaf.ts';
import { FIELD_LEAVES, METRIC_LEAVES, REASON_LEAVES } from './reading-leaves.ts';
import {
  DEVICE_LEAVES,
  LOG_LEAVES,
  MIG_FIELD_LEAVES,
  MIG_LEAVES,
  MIG_METRIC_LEAVES,
  PROCESS_LEAVES,
} from './text-leaves.ts';

/** A group that is a thing of its own, or whose end means something. */
export type SmiScope = 'mig' | 'processes' | 'process' | 'reasons';

/** A key of `nvidia-smi -q`, by the keys around it. */
export interface SmiNode {
  readonly children: ReadonlyMap<string, SmiNode>;
  readonly field: SmiField | null;
  /** What the text is; empty where it is none. */
  readonly text: string;
  readonly scope: SmiScope | null;
}

interface OpenNode extends SmiNode {
  readonly children: Map<string, OpenNode>;
  field: SmiField | null;
  text: string;
  scope: SmiScope | null;
}

/** The keys of the whole log and those of one device. */
export interface SmiTree {
  readonly log: SmiNode;
  readonly device: SmiNode;
}

type Form = 'text' | 'xml';

const FORM = { text: 1, xml: 2 } as const;

const TREES = new Map<Form, SmiTree>();

/** All known keys of one form of `nvidia-smi -q`. Most logs are of another kind, so that it is made when it is asked for. */
export function smiTree(form: Form): SmiTree {
  const tree = TREES.get(form) ?? grown(form);
  TREES.set(form, tree);
  return tree;
}

function grown(form: Form): SmiTree {
  const log = new Grower(form);
  log.texts(LOG_LEAVES);
  const device = new Grower(form);
  device.texts(DEVICE_LEAVES);
  device.fields(FIELD_LEAVES);
  device.metrics(METRIC_LEAVES);
  device.reasons(REASON_LEAVES);
  const [mig, processes] = ['mig device', 'processes | compute processes'] as const;
  const [migXml, processesXml] = ['mig_devices/mig_device', 'processes | compute_processes'] as const;
  device.texts(inGroup(mig, migXml, MIG_LEAVES));
  device.fields(inGroup(mig, migXml, MIG_FIELD_LEAVES));
  device.metrics(MIG_METRIC_LEAVES.map(([id, text, xml]) => [id, prefixed(mig, text), prefixed(migXml, xml)]));
  device.texts(inGroup(processes, processesXml, PROCESS_LEAVES));
  device.texts([['processes', processes, processesXml]]);
  device.scope('mig', form === 'text' ? mig : migXml);
  device.scope('processes', form === 'text' ? processes : processesXml);
  if (form === 'xml') device.scope('process', 'processes/process_info | compute_processes/process_info');
  device.scope(
    'reasons',
    form === 'text'
      ? 'clocks event reasons | clocks throttle reasons'
      : 'clocks_event_reasons | clocks_throttle_reasons',
  );
  return { log: log.root, device: device.root };
}

function prefixed(group: string, keys: string): string {
  return keys
    .split(' | ')
    .map((key) => `${group}/${key}`)
    .join(' | ');
}

class Grower {
  readonly root: OpenNode = newNode();
  readonly #form: Form;

  constructor(form: Form) {
    this.#form = form;
  }

  texts(leaves: readonly Leaf[]): void {
    this.#each(leaves, (node, what) => {
      node.text = what;
    });
  }

  fields(leaves: readonly Leaf[]): void {
    this.#each(leaves, (node, what) => {
      node.field = joined(node.field, smiField(what));
    });
  }

  metrics(leaves: readonly (readonly [id: MetricId, text: string, xml: string])[]): void {
    this.#each(leaves, (node, what) => {
      node.field = joined(node.field, metricField(what as MetricId, what));
    });
  }

  reasons(leaves: readonly Leaf[]): void {
    this.#each(leaves, (node, what) => {
      const bit = CLOCK_EVENT_REASONS.find(({ id }) => id === what)?.bit;
      if (bit !== undefined) node.field = reasonField(bit, what);
    });
  }

  scope(scope: SmiScope, paths: string): void {
    for (const path of paths.split(' | ')) this.#grow(path).scope = scope;
  }

  #each(leaves: readonly Leaf[], plant: (node: OpenNode, what: string) => void): void {
    for (const leaf of leaves) {
      const paths = leaf[FORM[this.#form]];
      if (paths === '') continue;
      for (const path of paths.split(' | ')) plant(this.#grow(path), leaf[0]);
    }
  }

  #grow(path: string): OpenNode {
    let node = this.root;
    for (const key of path.split('/')) {
      const next = node.children.get(key) ?? newNode();
      node.children.set(key, next);
      node = next;
    }
    return node;
  }
}

function newNode(): OpenNode {
  return { children: new Map(), field: null, text: '', scope: null };
}

/** A value may be a reading of two metrics. */
function joined(first: SmiField | null, second: SmiField | null): SmiField | null {
  if (first === null || second === null) return first ?? second;
  return { ...first, targets: [...first.targets, ...second.targets] };
}
