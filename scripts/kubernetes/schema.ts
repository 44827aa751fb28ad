import * as z from 'zod';

/**
 * The fields of the Kubernetes API that the manifests use, and no others: a field that is misspelt, or in the wrong place,
 * is refused here as the API server would refuse or ignore it.
 */

const NAME = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const LABELS = z.record(z.string().regex(/^([a-z0-9.-]+\/)?[A-Za-z0-9][\w.-]*$/), z.string().max(63));
const METADATA = z.strictObject({
  name: NAME,
  namespace: NAME.optional(),
  labels: LABELS.optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});
const CPU = z.string().regex(/^\d+m?$/);
const MEMORY = z.string().regex(/^\d+(Ki|Mi|Gi)$/);
const RESOURCES = z.strictObject({ cpu: CPU, memory: MEMORY });

const PROBE = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith('/'), port: z.string() }),
  periodSeconds: z.number().int().positive(),
  timeoutSeconds: z.number().int().positive(),
  failureThreshold: z.number().int().positive().optional(),
});

const SECURITY = z.strictObject({
  runAsUser: z.number().int(),
  allowPrivilegeEscalation: z.boolean(),
  privileged: z.boolean(),
  readOnlyRootFilesystem: z.boolean(),
  capabilities: z.strictObject({ drop: z.array(z.string()), add: z.array(z.string()).optional() }),
  seccompProfile: z.strictObject({ type: z.enum(['RuntimeDefault', 'Localhost', 'Unconfined']) }),
});

const CONTAINER = z.strictObject({
  name: NAME,
  image: z.string(),
  args: z.array(z.string()),
  env: z.array(
    z.union([
      z.strictObject({ name: z.string(), value: z.string() }),
      z.strictObject({
        name: z.string(),
        valueFrom: z.strictObject({ fieldRef: z.strictObject({ fieldPath: z.string() }) }),
      }),
    ]),
  ),
  ports: z.array(z.strictObject({ name: NAME.max(15), containerPort: z.number().int(), protocol: z.literal('TCP') })),
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  resources: z.strictObject({ requests: RESOURCES, limits: RESOURCES }),
  securityContext: SECURITY,
  volumeMounts: z.array(
    z.strictObject({ name: NAME, mountPath: z.string().startsWith('/'), readOnly: z.boolean().optional() }),
  ),
});

const VOLUME = z.union([
  z.strictObject({ name: NAME, configMap: z.strictObject({ name: NAME }) }),
  z.strictObject({ name: NAME, emptyDir: z.strictObject({ sizeLimit: MEMORY }) }),
  z.strictObject({
    name: NAME,
    hostPath: z.strictObject({
      path: z.string().startsWith('/'),
      type: z.enum(['Directory', 'DirectoryOrCreate']),
    }),
  }),
]);

const POD = z.strictObject({
  serviceAccountName: NAME,
  automountServiceAccountToken: z.boolean(),
  runtimeClassName: NAME.optional(),
  nodeSelector: LABELS.optional(),
  tolerations: z.array(z.strictObject({ operator: z.enum(['Exists', 'Equal']) })),
  hostPID: z.boolean(),
  terminationGracePeriodSeconds: z.number().int(),
  containers: z.tuple([CONTAINER]),
  volumes: z.array(VOLUME),
});

const DAEMON_SET = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('DaemonSet'),
  metadata: METADATA,
  spec: z.strictObject({
    selector: z.strictObject({ matchLabels: LABELS }),
    updateStrategy: z.strictObject({
      type: z.literal('RollingUpdate'),
      rollingUpdate: z.strictObject({ maxUnavailable: z.union([z.number(), z.string().regex(/^\d+%$/)]) }),
    }),
    template: z.strictObject({ metadata: z.strictObject({ labels: LABELS }), spec: POD }),
  }),
});

const SERVICE = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata: METADATA,
  spec: z.strictObject({
    clusterIP: z.literal('None'),
    selector: LABELS,
    ports: z.array(
      z.strictObject({ name: NAME, port: z.number().int(), targetPort: z.string(), protocol: z.literal('TCP') }),
    ),
  }),
});

const SERVICE_MONITOR = z.strictObject({
  apiVersion: z.literal('monitoring.coreos.com/v1'),
  kind: z.literal('ServiceMonitor'),
  metadata: METADATA,
  spec: z.strictObject({
    selector: z.strictObject({ matchLabels: LABELS }),
    endpoints: z.array(
      z.strictObject({
        port: z.string(),
        path: z.string(),
        interval: z.string(),
        scrapeTimeout: z.string(),
        honorLabels: z.boolean(),
        relabelings: z.array(
          z.strictObject({
            action: z.enum(['replace', 'labeldrop']),
            sourceLabels: z.array(z.string()).optional(),
            targetLabel: z.string().optional(),
            regex: z.string().optional(),
          }),
        ),
      }),
    ),
  }),
});

export const MANIFEST = z.discriminatedUnion('kind', [
  DAEMON_SET,
  SERVICE,
  SERVICE_MONITOR,
  z.strictObject({ apiVersion: z.literal('v1'), kind: z.literal('Namespace'), metadata: METADATA }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('ServiceAccount'),
    metadata: METADATA,
    automountServiceAccountToken: z.boolean(),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('ConfigMap'),
    metadata: METADATA,
    data: z.record(z.string(), z.string()),
  }),
]);

export type Manifest = z.output<typeof MANIFEST>;
