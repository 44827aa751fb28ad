import type { ReactNode } from 'react';
import type { ApiMachine } from '../../../src/model/api.ts';
import type { MetricId } from '../../../src/model/catalogue.ts';
import { bytesOf, quantityText, threeFigures } from '../../../src/model/format.ts';
import { Figure } from '../shell/figure.tsx';
import { Missing } from '../shell/missing.tsx';
import { useLang, useText } from '../state/app-context.ts';

/** The machine the GPUs are in, in one line; nothing where the source is another one. */
export function HostStrip({ host, machine }: { host: string; machine: ApiMachine | null }) {
  const t = useText();
  if (machine === null) return null;
  return (
    <section className="host-strip">
      <h2>{t('web.host', { host })}</h2>
      <dl>
        <Item name={t('web.host.cpu')}>
          <Ratio machine={machine} id="host_cpu_ratio" />
        </Item>
        <Item name={t('web.host.iowait')}>
          <Ratio machine={machine} id="host_iowait_ratio" />
        </Item>
        <Item name={t('web.host.load')} title={t('web.host.load-spans')}>
          <Loads machine={machine} />
        </Item>
        <Item name={t('web.host.memory')}>
          <Memory machine={machine} />
        </Item>
        <Item name={t('web.host.disks')}>
          <Ratio machine={machine} id="host_disk_busy_ratio" />{' '}
          <Flow
            machine={machine}
            into="host_disk_read_bytes_per_second"
            out="host_disk_write_bytes_per_second"
            words={(read, written) => t('web.host.disks-flow', { read, written })}
          />
        </Item>
        <Item name={t('web.host.network')}>
          <Flow
            machine={machine}
            into="host_network_rx_bytes_per_second"
            out="host_network_tx_bytes_per_second"
            words={(received, sent) => t('web.host.network-flow', { received, sent })}
          />
        </Item>
      </dl>
    </section>
  );
}

function Item({ name, title, children }: { name: string; title?: string; children: ReactNode }) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** By whole percents: more would only flicker. */
function Ratio({ machine, id }: { machine: ApiMachine; id: MetricId }) {
  const value = machine.readings[id] ?? null;
  if (value === null) return <Absent machine={machine} id={id} />;
  return <Figure value={Math.round(value * 100) / 100} unit="ratio" />;
}

function Loads({ machine }: { machine: ApiMachine }) {
  const loads = (['host_load_1m', 'host_load_5m', 'host_load_15m'] as const).map((id) => machine.readings[id] ?? null);
  if (loads.every((load) => load === null)) return <Absent machine={machine} id="host_load_1m" />;
  return <>{loads.map((load) => (load === null ? '–' : threeFigures(load, true))).join(' ')}</>;
}

function Memory({ machine }: { machine: ApiMachine }) {
  const used = machine.readings['host_memory_used_bytes'] ?? null;
  const total = machine.readings['host_memory_total_bytes'] ?? null;
  if (used === null || total === null) return <Absent machine={machine} id="host_memory_used_bytes" />;
  const { part, whole, unit } = bytesOf(used, total);
  return (
    <>
      {part} / {whole} <span className="unit">{unit}</span>
    </>
  );
}

interface FlowProps {
  readonly machine: ApiMachine;
  readonly into: MetricId;
  readonly out: MetricId;
  readonly words: (into: string, out: string) => string;
}

function Flow({ machine, into, out, words }: FlowProps) {
  const lang = useLang();
  const [first, second] = [machine.readings[into] ?? null, machine.readings[out] ?? null];
  if (first === null || second === null) return <Absent machine={machine} id={into} />;
  const text = (value: number) => quantityText(value, 'bytes-per-second', lang);
  return <span>{words(text(first), text(second))}</span>;
}

function Absent({ machine, id }: { machine: ApiMachine; id: MetricId }) {
  return <Missing reason={machine.absent[id] ?? 'not-collected'} />;
}
