import type { Client, ClientUnaryCall } from '@grpc/grpc-js';
import type { Type } from 'protobufjs';

/** Devices that the kubelet has given to one container. */
export interface Allotment {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** As the device plugin calls them, whatever it calls the resource. */
  readonly deviceIds: readonly string[];
}

/** The kubelet describes every device, CPU and memory block of a node in one message. */
const MAX_MESSAGE_BYTES = 16 << 20;

/** The part of the kubelet's `podresources` messages that is used; what is not described here is skipped. */
const MESSAGES = {
  nested: {
    Reply: { fields: { pods: { rule: 'repeated', type: 'Pod', id: 1 } } },
    Pod: {
      fields: {
        name: { type: 'string', id: 1 },
        namespace: { type: 'string', id: 2 },
        containers: { rule: 'repeated', type: 'Container', id: 3 },
      },
    },
    Container: {
      fields: {
        name: { type: 'string', id: 1 },
        devices: { rule: 'repeated', type: 'Devices', id: 2 },
        claims: { rule: 'repeated', type: 'Claim', id: 5 },
      },
    },
    Devices: { fields: { ids: { rule: 'repeated', type: 'string', id: 2 } } },
    Claim: { fields: { resources: { rule: 'repeated', type: 'ClaimResource', id: 4 } } },
    ClaimResource: {
      fields: { cdiDevices: { rule: 'repeated', type: 'CdiDevice', id: 1 }, device: { type: 'string', id: 4 } },
    },
    CdiDevice: { fields: { name: { type: 'string', id: 1 } } },
  },
};

/** A decoded reply; protobufjs leaves an empty list empty and an empty text ''. */
interface Reply {
  readonly pods: readonly {
    readonly name: string;
    readonly namespace: string;
    readonly containers: readonly {
      readonly name: string;
      readonly devices: readonly { readonly ids: readonly string[] }[];
      readonly claims: readonly {
        readonly resources: readonly {
          readonly cdiDevices: readonly { readonly name: string }[];
          readonly device: string;
        }[];
      }[];
    }[];
  }[];
}

const EMPTY = Buffer.alloc(0);

/** Old kubelets have only the second. */
const VERSIONS = ['v1', 'v1alpha1'] as const;

/** A connection to the PodResources service of the kubelet of this node. */
export class PodResources {
  readonly #client: Client;
  readonly #reply: Type;
  readonly #unimplemented: number;
  readonly #timeoutMs: number;
  #version: (typeof VERSIONS)[number] = 'v1';
  #call: ClientUnaryCall | null = null;

  private constructor(client: Client, reply: Type, unimplemented: number, timeoutMs: number) {
    this.#client = client;
    this.#reply = reply;
    this.#unimplemented = unimplemented;
    this.#timeoutMs = timeoutMs;
  }

  /** Loads what it takes, which is why a machine without a kubelet never does. It connects with the first call. */
  static async open(socket: string, timeoutMs: number): Promise<PodResources> {
    const [grpc, { Root }] = await Promise.all([import('@grpc/grpc-js'), import('protobufjs/light.js')]);
    const client = new grpc.Client(`unix:${socket}`, grpc.credentials.createInsecure(), {
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.enable_http_proxy': 0,
      'grpc.max_reconnect_backoff_ms': 5000,
    });
    const reply = Root.fromJSON(MESSAGES).lookupType('Reply');
    return new PodResources(client, reply, grpc.status.UNIMPLEMENTED, timeoutMs);
  }

  /** What every container of the node has; rejects where the kubelet does not answer. */
  async list(): Promise<readonly Allotment[]> {
    try {
      return await this.#listBy(this.#version);
    } catch (error) {
      if ((error as { code?: unknown }).code !== this.#unimplemented) throw error;
      // The kubelet is of the other age, or has been exchanged for one that is.
      this.#version = this.#version === 'v1' ? 'v1alpha1' : 'v1';
      return this.#listBy(this.#version);
    }
  }

  close(): void {
    this.#call?.cancel();
    this.#client.close();
  }

  #listBy(version: string): Promise<readonly Allotment[]> {
    return new Promise((resolve, reject) => {
      this.#call = this.#client.makeUnaryRequest(
        `/${version}.PodResourcesLister/List`,
        () => EMPTY,
        (bytes: Buffer) => allotments(this.#reply.decode(bytes) as unknown as Reply),
        null,
        { deadline: Date.now() + this.#timeoutMs },
        (error, list) => {
          this.#call = null;
          if (error === null) resolve(list ?? []);
          else reject(error);
        },
      );
    });
  }
}

function allotments({ pods }: Reply): readonly Allotment[] {
  const list: Allotment[] = [];
  for (const { name: pod, namespace, containers } of pods) {
    for (const { name: container, devices, claims } of containers) {
      const claimed = claims.flatMap(({ resources }) => resources);
      const deviceIds = [
        ...devices.flatMap(({ ids }) => ids),
        ...claimed.flatMap(({ device, cdiDevices }) => [device, ...cdiDevices.map(({ name }) => name)]),
      ];
      if (deviceIds.length > 0) list.push({ namespace, pod, container, deviceIds });
    }
  }
  return list;
}
