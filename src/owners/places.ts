import { type EngineAddress, engineAddresses } from './containers/container-names.ts';
import { KUBELET_SOCKETS } from './pods/pod-book.ts';

/** Where a host keeps what owners are read from. */
export interface OwnerPlaces {
  /** Mount point of procfs. */
  readonly proc: string;
  readonly passwd: string;
  readonly engines: readonly EngineAddress[];
  readonly kubelets: readonly string[];
  /** Folder of the `pods` and `containers` logs of the kubelet. */
  readonly logs: string;
}

/** The usual places, and those that the environment of this user names. */
export function usualPlaces(env: Readonly<Record<string, string | undefined>>): OwnerPlaces {
  return {
    proc: '/proc',
    passwd: '/etc/passwd',
    engines: engineAddresses(env),
    kubelets: KUBELET_SOCKETS,
    logs: '/var/log',
  };
}
