import type { Device } from '../../model/device.ts';
import type { Notice, Source } from '../../model/ports.ts';
import type { Tick } from '../../model/tick.ts';
import { openRecordingReader, type RecordingOptions, type RecordingReader } from './recording-reader.ts';

/**
 * Opens a log of nvidia-smi as a source. Its ticks carry the times of the log. Throws FILE_UNREADABLE or
 * RECORDING_NOT_RECOGNISED, and BAD_OPTION for a time zone that does not exist. `name` stands for the path in the name of
 * the source.
 */
export async function openRecording(options: RecordingOptions & { readonly name?: string }): Promise<Source> {
  return new RecordingSource(`replay:${options.name ?? options.path}`, await openRecordingReader(options));
}

class RecordingSource implements Source {
  readonly name: string;
  readonly origin = 'recorded';
  readonly #reader: RecordingReader;

  constructor(name: string, reader: RecordingReader) {
    this.name = name;
    this.#reader = reader;
  }

  devices(): readonly Device[] {
    return this.#reader.devices();
  }

  sample(): Promise<Tick | null> {
    return this.#reader.next();
  }

  notices(): readonly Notice[] {
    return this.#reader.notices();
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}
