import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseConfig } from '../../src/app/config-file.ts';
import { createContext } from '../../src/cli/context.ts';
import { createProgram } from '../../src/cli/program.ts';
import { commandOf } from '../parts.ts';
import { MANIFEST, type Manifest } from './schema.ts';

const ROOT = resolve(import.meta.dirname, '../../deploy/kubernetes');
const KUBECTL = commandOf('kubectl');

function build(folder: string): readonly Manifest[] {
  const { stdout, stderr, status } = spawnSync(KUBECTL ?? '', ['kustomize', resolve(ROOT, folder)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  // What is deprecated is said on standard error.
  expect(stderr).not.toMatch(/deprecated/i);
  return parseAllDocuments(stdout).map((document) => MANIFEST.parse(document.toJS()));
}

/** Components came with kubectl 1.21; older ones, such as that of Debian 12, can only build the base. */
function isModern(): boolean {
  const { stdout } = spawnSync(KUBECTL ?? '', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  return Number(/"minor":\s*"(\d+)/.exec(stdout)?.[1]) >= 21;
}

function only<K extends Manifest['kind']>(manifests: readonly Manifest[], kind: K): Extract<Manifest, { kind: K }> {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  expect([kind, found.length]).toEqual([kind, 1]);
  return found[0] as Extract<Manifest, { kind: K }>;
}

const FOLDERS = [
  'base',
  'overlays/prometheus-operator',
  'overlays/dcgm-compatible',
  'overlays/mig',
  'overlays/default-runtime',
];

describe.skipIf(KUBECTL === null).each(FOLDERS)('%s', (folder) => {
  const isBuilt = KUBECTL !== null && (folder === 'base' || isModern());
  const manifests = isBuilt ? build(folder) : [];

  test.skipIf(!isBuilt)('what refers to something refers to what is there', () => {
    const { spec } = only(manifests, 'DaemonSet');
    const pod = spec.template.spec;
    const [container] = pod.containers;
    const account = only(manifests, 'ServiceAccount');
    const service = only(manifests, 'Service');
    expect(pod.serviceAccountName).toBe(account.metadata.name);
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    expect(spec.template.metadata.labels).toMatchObject(service.spec.selector);
    const ports = container.ports.map(({ name }) => name);
    for (const { targetPort } of service.spec.ports) expect(ports).toContain(targetPort);
    for (const probe of [container.livenessProbe, container.readinessProbe])
      expect(ports).toContain(probe.httpGet.port);
    const volumes = pod.volumes.map(({ name }) => name);
    expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual([...volumes].sort());
    for (const volume of pod.volumes) {
      if ('configMap' in volume) expect(volume.configMap.name).toBe(only(manifests, 'ConfigMap').metadata.name);
    }
    const namespaces = manifests.map((manifest) =>
      manifest.kind === 'Namespace' ? manifest.metadata.name : manifest.metadata.namespace,
    );
    expect([...new Set(namespaces)]).toEqual(['gpulse']);
  });

  test.skipIf(!isBuilt)('it may do as little as it needs', () => {
    const pod = only(manifests, 'DaemonSet').spec.template.spec;
    const [{ securityContext, volumeMounts }] = pod.containers;
    const isMig = folder === 'overlays/mig';
    expect(securityContext).toMatchObject({ privileged: false, readOnlyRootFilesystem: true });
    expect(securityContext.capabilities.drop).toEqual(['ALL']);
    expect(securityContext.capabilities.add ?? []).toEqual(isMig ? ['SYS_ADMIN'] : []);
    expect(securityContext.allowPrivilegeEscalation).toBe(isMig);
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(only(manifests, 'ServiceAccount').automountServiceAccountToken).toBe(false);
    const writable = volumeMounts.filter(({ readOnly }) => readOnly !== true).map(({ mountPath }) => mountPath);
    expect(writable.sort()).toEqual(['/tmp', '/var/lib/gpulse']);
  });

  test.skipIf(!isBuilt)('gpulse takes its arguments and its configuration', async () => {
    const [{ args, ports }] = only(manifests, 'DaemonSet').spec.template.spec.containers;
    const program = await createProgram('serve', createContext([], {}));
    const serve = program.commands.find((command) => command.name() === args[0]);
    const known = serve?.options.map(({ long }) => long) ?? [];
    for (const argument of args.slice(1)) expect(known).toContain(argument.split('=')[0]);
    expect(args).toContain(`--listen=0.0.0.0:${ports[0]?.containerPort}`);
    const { data } = only(manifests, 'ConfigMap');
    expect(args).toContain(`--config=/etc/gpulse/${Object.keys(data)[0]}`);
    const { naming } = parseConfig('gpulse.yaml', data['gpulse.yaml'] ?? '');
    const isDcgm = folder === 'overlays/dcgm-compatible';
    expect(naming).toMatchObject({ profiles: isDcgm ? ['gpulse', 'dcgm'] : ['gpulse'], ownerLabels: isDcgm });
  });

  test.skipIf(!isBuilt)('the monitor finds the service and leaves the labels of owners alone', () => {
    const monitors = manifests.filter((manifest) => manifest.kind === 'ServiceMonitor');
    expect(monitors).toHaveLength(['base', 'overlays/default-runtime'].includes(folder) ? 0 : 1);
    for (const { spec } of monitors) {
      const service = only(manifests, 'Service');
      expect(service.metadata.labels).toMatchObject(spec.selector.matchLabels);
      expect(spec.endpoints.map(({ port }) => port)).toEqual(service.spec.ports.map(({ name }) => name));
      for (const { honorLabels, relabelings } of spec.endpoints) {
        expect(honorLabels).toBe(true);
        expect(relabelings.find(({ action }) => action === 'labeldrop')?.regex?.split('|')).toEqual(
          expect.arrayContaining(['pod', 'container', 'namespace']),
        );
      }
    }
  });
});
