import type { AppError } from '../../model/errors.ts';
import type { MessageKey } from '../../model/i18n/messages.ts';
import type { Params } from '../../model/i18n/text.ts';

/** Exit codes of nvidia-smi, as its manual lists them; they are those of NVML. */
export const EXIT = {
  badArgument: 2,
  noPermission: 4,
  notFound: 6,
  driverNotLoaded: 9,
  libraryNotFound: 12,
  gpuLost: 15,
  versionMismatch: 18,
  other: 255,
} as const;

/** A failure in the words of nvidia-smi, which go to standard output as they do there, and with its exit code. */
export class SmiFailure extends Error {
  override readonly name = 'SmiFailure';
  readonly exit: number;
  /** What nvidia-smi does not say, for a person; null where its words say it all. */
  readonly reason: { readonly key: MessageKey; readonly params: Params } | null;

  constructor(text: string, exit: number, reason: SmiFailure['reason'] = null) {
    super(text);
    this.exit = exit;
    this.reason = reason;
  }
}

const HELP = "Please run 'gpulse smi -h' for help.";

export function unknownOption(option: string): SmiFailure {
  return new SmiFailure(`ERROR: Option ${option} is not recognized. ${HELP}`, EXIT.badArgument);
}

export function missingValue(option: string): SmiFailure {
  return new SmiFailure(`ERROR: Option ${option} is missing its value. ${HELP}`, EXIT.badArgument);
}

const BAD_COMBINATION = `Invalid combination of input arguments. ${HELP}`;

/** Two options of which one rules out the other. */
export function conflict(one: string, other: string): SmiFailure {
  return new SmiFailure(BAD_COMBINATION, EXIT.badArgument, { key: 'smi.conflict', params: { one, other } });
}

/** An option that only means something beside another. */
export function incomplete(option: string, needed: string): SmiFailure {
  return new SmiFailure(BAD_COMBINATION, EXIT.badArgument, { key: 'smi.incomplete', params: { option, needed } });
}

/** A value that an option does not take. */
export function badValue(option: string, value: string, expected: string): SmiFailure {
  return new SmiFailure(BAD_COMBINATION, EXIT.badArgument, {
    key: 'smi.bad-value',
    params: { option, value, expected },
  });
}

/** A word that is no option, where only options may stand. */
export function strayWord(word: string): SmiFailure {
  return new SmiFailure(BAD_COMBINATION, EXIT.badArgument, { key: 'smi.stray-word', params: { word } });
}

/** What a script gets where no GPU is there, or none that it asked for. */
export const NO_DEVICES = new SmiFailure('No devices were found', EXIT.notFound);

const NO_DRIVER = new SmiFailure(
  "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  EXIT.driverNotLoaded,
);
const NO_LIBRARY = new SmiFailure(
  "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.",
  EXIT.libraryNotFound,
);
const MISMATCH = new SmiFailure('Failed to initialize NVML: Driver/library version mismatch', EXIT.versionMismatch);
const FORBIDDEN = new SmiFailure('Failed to initialize NVML: Insufficient Permissions', EXIT.noPermission);
const UNKNOWN = new SmiFailure('Failed to initialize NVML: Unknown Error', EXIT.other);

/** What nvidia-smi says in the place of a failure of gpulse; null for one that it does not know. */
export function inItsWords({ code }: AppError): SmiFailure | null {
  switch (code) {
    case 'NVML_LIBRARY_NOT_FOUND':
    case 'NVML_LIBRARY_UNUSABLE':
    case 'SMI_LIBRARY_NOT_FOUND':
      return NO_LIBRARY;
    case 'NVML_DRIVER_NOT_LOADED':
    case 'NVML_DRIVER_GONE':
    case 'SMI_DRIVER_NOT_LOADED':
      return NO_DRIVER;
    case 'NVML_VERSION_MISMATCH':
    case 'SMI_VERSION_MISMATCH':
      return MISMATCH;
    case 'NVML_NO_PERMISSION':
    case 'SMI_NO_PERMISSION':
      return FORBIDDEN;
    case 'NVML_NO_DEVICES':
    case 'SMI_NO_DEVICES':
    case 'DRM_NO_GPU':
    case 'NO_DEVICE':
      return NO_DEVICES;
    case 'NVML_INIT_FAILED':
    case 'NVML_CONTAINER_WITHOUT_DEVICES':
      return UNKNOWN;
    default:
      return null;
  }
}
