import type { Viewer } from '../model/ports.ts';
import type { DeviceView, Snapshot } from '../model/reader.ts';

/** A snapshot as this viewer may see it; the same object where that is all of it. */
export function seenBy(viewer: Viewer, snapshot: Snapshot): Snapshot {
  if (maySeeCommands(viewer)) return snapshot;
  return { ...snapshot, devices: snapshot.devices.map(withoutCommands) };
}

/** Command lines may hold passwords, so that only the administrator sees those of others. */
function maySeeCommands({ kind }: Viewer): boolean {
  return kind === 'administrator';
}

function withoutCommands(view: DeviceView): DeviceView {
  const { processes } = view;
  if ('absent' in processes) return view;
  return { ...view, processes: processes.map((process) => ({ ...process, command: null })) };
}
