import { Server, ServerCredentials, type sendUnaryData } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

/** The kubelet's messages in full, so that what gpulse skips is on the wire as well. */
const PROTO = `
  syntax = "proto3";
  message ListPodResourcesResponse { repeated PodResources pod_resources = 1; }
  message PodResources { string name = 1; string namespace = 2; repeated ContainerResources containers = 3; }
  message ContainerResources {
    string name = 1;
    repeated ContainerDevices devices = 2;
    repeated int64 cpu_ids = 3;
    repeated ContainerMemory memory = 4;
    repeated DynamicResource dynamic_resources = 5;
  }
  message ContainerMemory { string memory_type = 1; uint64 size = 2; TopologyInfo topology = 3; }
  message ContainerDevices { string resource_name = 1; repeated string device_ids = 2; TopologyInfo topology = 3; }
  message TopologyInfo { repeated NUMANode nodes = 1; }
  message NUMANode { int64 ID = 1; }
  message DynamicResource { string claim_name = 2; string claim_namespace = 3; repeated ClaimResource claim_resources = 4; }
  message ClaimResource { repeated CDIDevice cdi_devices = 1; string driver_name = 2; string pool_name = 3; string device_name = 4; }
  message CDIDevice { string name = 1; }
`;

const REPLY = protobuf.parse(PROTO, { keepCase: true }).root.lookupType('ListPodResourcesResponse');

/** One container and its devices by resource. */
export interface TestContainer {
  readonly pod: string;
  readonly namespace?: string;
  readonly container?: string;
  readonly devices?: Readonly<Record<string, readonly string[]>>;
  /** CDI names of devices given by dynamic resource allocation. */
  readonly claimed?: readonly string[];
  /** CPUs of its own, which make the message long. */
  readonly cpus?: number;
}

/** A kubelet for tests: a real gRPC server on a unix socket. */
export class TestKubelet {
  calls: string[] = [];
  /** How long it takes to answer; never, if infinite. */
  delayMs = 0;
  readonly #server = new Server();
  #reply = encode([]);

  /** `versions` are those of the service that it has. */
  static async start(socket: string, versions: readonly string[] = ['v1', 'v1alpha1']): Promise<TestKubelet> {
    const kubelet = new TestKubelet();
    for (const version of versions) kubelet.#serve(version);
    await new Promise<void>((resolve, reject) => {
      const done = (error: Error | null): void => (error === null ? resolve() : reject(error));
      kubelet.#server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), done);
    });
    return kubelet;
  }

  set containers(containers: readonly TestContainer[]) {
    this.#reply = encode(containers);
  }

  /** Makes it answer with bytes that are no message. */
  talkNonsense(): void {
    this.#reply = Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x01]);
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  #serve(version: string): void {
    const asIs = (bytes: Buffer): Buffer => bytes;
    const path = `/${version}.PodResourcesLister/List`;
    const codec = {
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    };
    const list = (_call: unknown, reply: sendUnaryData<Buffer>): void => {
      this.calls.push(version);
      if (this.delayMs === Number.POSITIVE_INFINITY) return;
      setTimeout(() => reply(null, this.#reply), this.delayMs);
    };
    this.#server.addService({ List: { path, requestStream: false, responseStream: false, ...codec } }, { List: list });
  }
}

function encode(containers: readonly TestContainer[]): Buffer {
  const pods = containers.map(
    ({ pod, namespace = 'default', container = 'main', devices = {}, claimed = [], cpus = 0 }) => ({
      name: pod,
      namespace,
      containers: [
        {
          name: container,
          devices: Object.entries(devices).map(([resource_name, device_ids]) => ({
            resource_name,
            device_ids,
            topology: { nodes: [{ ID: 1 }] },
          })),
          cpu_ids: Array.from({ length: cpus }, (_, i) => i),
          memory: [{ memory_type: 'memory', size: 1 << 30, topology: { nodes: [{ ID: 0 }] } }],
          dynamic_resources: claimed.map((name) => ({
            claim_name: 'gpu',
            claim_resources: [{ cdi_devices: [{ name }] }],
          })),
        },
      ],
    }),
  );
  return Buffer.from(REPLY.encode(REPLY.fromObject({ pod_resources: pods })).finish());
}
