import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CgroupPlace, parseCgroup } from './cgroup.ts';

const ID = 'b15a5bdedd2e7645c3be271364324321b908314e4c77857bbfd32a041148c07f';
const ID2 = '8c046cb0b72cd4c99f51b5591cd5b095967f58ee003710a45280c28ee1a9c7fa';
const UID = 'fd52ef25-a87d-11e9-9423-0800271a638e';
const UID_ = UID.replaceAll('-', '_');
const STATIC = '33d556edd3ae8ef21980288cef77ae8b';

/** Short form of what was read: `docker:b15a pod:fd52 job:1/0 unit:x`, '' for nothing. */
function short({ container, podUid, job, unit, isCut }: CgroupPlace): string {
  const parts = [
    container && `${container.runtime}:${container.id.length === 64 ? container.id.slice(0, 4) : container.id}`,
    podUid && `pod:${podUid.slice(0, 4)}`,
    job && `job:${job.id}/${job.step ?? ''}${job.uid === null ? '' : `@${job.uid}`}`,
    unit && `unit:${unit}`,
    isCut && 'cut',
  ];
  return parts.filter(Boolean).join(' ');
}

const PODS = `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID_}.slice`;
const USER = '/user.slice/user-1000.slice/user@1000.service';

describe('a path of version 2', () => {
  test.each([
    // Docker and containerd on their own
    [`/docker/${ID}`, 'docker:b15a'],
    [`/system.slice/docker-${ID}.scope`, 'docker:b15a'],
    [`${USER}/user.slice/docker-${ID}.scope`, 'docker:b15a'],
    [`/system.slice/docker-${ID}.scope (deleted)`, 'docker:b15a'],
    [`/system.slice/docker-${ID}.scope/init`, 'docker:b15a'],
    [`/system.slice/docker-${ID}.scope/system.slice/nginx.service`, 'docker:b15a'],
    [`/docker/${ID}/docker/${ID2}`, 'docker:b15a'],
    [`/train.slice/docker-${ID}.scope`, 'docker:b15a'],
    [`/train/${ID}`, 'unknown:b15a'],
    [`/actions_job/${ID}`, 'unknown:b15a'],
    [`/system.slice/nerdctl-${ID}.scope`, 'containerd:b15a'],
    [`/system.slice/balena-${ID}.scope`, 'unknown:b15a'],
    [`/system.slice:docker:${ID}`, 'docker:b15a'],
    [`/system.slice/containerd.service/system.slice:cri-containerd:${ID}`, 'containerd:b15a'],
    // Kubernetes: drivers, levels of service, runtimes
    [`/kubepods/burstable/pod${UID}/${ID}`, 'unknown:b15a pod:fd52'],
    [`/kubepods/pod${UID}/${ID}`, 'unknown:b15a pod:fd52'],
    [`/kubepods/besteffort/pod${STATIC}/${ID}`, 'unknown:b15a pod:33d5'],
    [`/kubepods/besteffort/pod${UID}/crio-${ID}`, 'cri-o:b15a pod:fd52'],
    [`/kubepods/besteffort/pod${UID}/crio-conmon-${ID}`, 'pod:fd52'],
    [`${PODS}/cri-containerd-${ID}.scope`, 'containerd:b15a pod:fd52'],
    [`${PODS}/docker-${ID}.scope`, 'docker:b15a pod:fd52'],
    [`${PODS}/crio-${ID}.scope`, 'cri-o:b15a pod:fd52'],
    [`${PODS}/crio-${ID}.scope/container`, 'cri-o:b15a pod:fd52'],
    [`${PODS}/crio-conmon-${ID}.scope`, 'pod:fd52'],
    [`${PODS}/cri-containerd-${ID}.scope/docker/${ID2}`, 'containerd:b15a pod:fd52'],
    [`/kubepods.slice/kubepods-pod${UID_}.slice/cri-containerd-${ID}.scope`, 'containerd:b15a pod:fd52'],
    [`/kubepods.slice/kubepods-pod${STATIC}.slice/cri-containerd-${ID}.scope`, 'containerd:b15a pod:33d5'],
    [
      `/system.slice/containerd.service/kubepods-burstable-pod${UID_}.slice:cri-containerd:${ID}`,
      'containerd:b15a pod:fd52',
    ],
    [
      `/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod${UID_}.slice/cri-containerd-${ID}.scope`,
      'containerd:b15a pod:fd52',
    ],
    [
      `/docker/${ID2}/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod${UID_}.slice/cri-containerd-${ID}.scope`,
      'containerd:b15a pod:fd52',
    ],
    [`/system.slice/docker-${ID2}.scope/kubelet/kubepods/pod${UID}/${ID}`, 'unknown:b15a pod:fd52'],
    // Podman
    [`/machine.slice/libpod-${ID}.scope`, 'podman:b15a'],
    [`/machine.slice/libpod-${ID}.scope/container`, 'podman:b15a'],
    [`/machine.slice/machine-libpod_pod_${ID2}.slice/libpod-${ID}.scope/container`, 'podman:b15a'],
    [`/machine.slice/libpod-conmon-${ID}.scope`, ''],
    [`/libpod_parent/libpod-${ID}`, 'podman:b15a'],
    [`${USER}/user.slice/libpod-${ID}.scope/container`, 'podman:b15a'],
    [`/system.slice/train.service/libpod-payload-${ID}`, 'podman:b15a unit:train.service'],
    [`${USER}/app.slice/train.service/libpod-payload-${ID}`, 'podman:b15a unit:train.service'],
    // LXC and platforms
    ['/lxc/p1', 'lxc:p1'],
    ['/lxc/101/ns/system.slice/jupyter.service', 'lxc:101'],
    ['/lxc.payload.web-1', 'lxc:web-1'],
    ['/lxc.payload/web', 'lxc:web'],
    [`/lxc.payload.web/docker/${ID}`, 'lxc:web'],
    ['/lxc.monitor.web', ''],
    ['/lxc.monitor/web', ''],
    ['/lxc', ''],
    [`/lxc/${ID}`, 'unknown:b15a'],
    ['/lxc/b6d196c1-50f2-4949-abdb-5d4909864487', 'unknown:b6d196c1-50f2-4949-abdb-5d4909864487'],
    [`/ecs/${STATIC}/${ID}`, 'unknown:b15a'],
    [`/ecs/${STATIC}/${STATIC}-4015103728`, `unknown:${STATIC}-4015103728`],
    [`/ecstasks.slice/ecstasks-${STATIC}.slice/docker-${ID}.scope`, 'docker:b15a'],
    [`/other/${STATIC}/${STATIC}-4015103728`, ''],
    // Slurm
    ['/system.slice/slurmstepd.scope/job_1320003/step_0/user/task_0', 'job:1320003/0'],
    ['/system.slice/slurmstepd.scope/job_7/step_batch/user/task_special', 'job:7/batch'],
    ['/system.slice/slurmstepd.scope/job_7/step_extern/user', 'job:7/extern'],
    ['/system.slice/slurmstepd.scope/job_7', 'job:7/'],
    ['/system.slice/node03_slurmstepd.scope/job_7/step_1/user/task_3', 'job:7/1'],
    ['/system.slice/slurmstepd.scope/system', 'unit:slurmstepd.scope'],
    ['/slurm/uid_1000/job_4824887', 'job:4824887/@1000'],
    ['/slurm/uid_1000/job_4824887/step_interactive/task_0', 'job:4824887/interactive@1000'],
    ['/slurm_node03/uid_0/job_1/step_0', 'job:1/0@0'],
    [`/slurm/uid_1000/job_5/step_0/docker/${ID}`, 'docker:b15a job:5/0@1000'],
    ['/home/uid_1000/job_5/step_0', ''],
    ['/slurm/uid_1000/job_x', ''],
    // Units
    ['/system.slice/jupyter.service', 'unit:jupyter.service'],
    ['/system.slice/system-jupyter.slice/jupyter@li.service', 'unit:jupyter@li.service'],
    ['/system.slice/train.service/workers/3', 'unit:train.service'],
    ['/system.slice/_cpu.service', 'unit:cpu.service'],
    ['/system.slice/run-u12.service', 'unit:run-u12.service'],
    ['/system.slice/run-r0a2f1b3c4d5e6f708192a3b4c5d6e7f8.scope', ''],
    ['/machine.slice/machine-qemu\\x2d1\\x2dvm.scope', 'unit:machine-qemu\\x2d1\\x2dvm.scope'],
    [`${USER}/app.slice/jupyter.service`, 'unit:jupyter.service'],
    [`${USER}/app.slice/train.scope`, 'unit:train.scope'],
    [`${USER}/app.slice/app-org.gnome.Terminal.slice/vte-spawn-75bc72bd-6642-4cf5-b62c-0674e11bfc84.scope`, ''],
    [`${USER}/app.slice/app-gnome-firefox-2211.scope`, ''],
    [`${USER}/tmux-spawn-75bc72bd-6642-4cf5-b62c-0674e11bfc84.scope`, ''],
    [`${USER}/init.scope`, ''],
    [USER, ''],
    ['/user.slice/user-1000.slice/session-18.scope', ''],
    ['/user/1000.user/1.session', ''],
    ['/init.scope', ''],
    ['/system.slice/a\u001b[31m.service', ''],
    // A view of its own: what lies above is hidden
    ['/..', 'cut'],
    ['/../..', 'cut'],
    [`/../cri-containerd-${ID}.scope`, 'containerd:b15a cut'],
    [`/../../kubepods-besteffort-pod${UID_}.slice/crio-${ID}.scope`, 'cri-o:b15a pod:fd52 cut'],
    [`/../../pod${UID}/${ID}`, 'unknown:b15a pod:fd52 cut'],
    // Nothing, or nearly something
    ['/', ''],
    ['/process_api/e967f13288155725a2239ac9e7ccc45a', ''],
    [`/docker/${ID.slice(1)}`, ''],
    [`/docker/${ID}0`, ''],
    [`/docker/${ID.toUpperCase()}`, ''],
    [`/docker/${ID.slice(1)}g`, ''],
    [`/system.slice/docker-${ID.slice(1)}.scope`, ''],
    [`/system.slice/balena-${ID}`, ''],
    ['/docker/buildkit/x7p3sd9kq2m1', ''],
    [`/kubepods/burstable/pod${UID.slice(1)}`, ''],
    [`/kubepods/burstable/pod${UID}0`, ''],
    [`/kubepods/burstable/pod${STATIC.slice(1)}`, ''],
    ['/kubepods/burstable', ''],
    ['/podman', ''],
  ])('%s', (path, want) => expect(short(parseCgroup(`0::${path}\n`))).toBe(want));
});

describe('several hierarchies', () => {
  test.each([
    [
      'version 1, the job in some of them',
      '12:freezer:/slurm/uid_1000/job_4824887\n11:hugetlb:/\n5:net_cls,net_prio:/slurm/uid_1000/job_4824887/step_0\n2:pids:/user.slice/user-118.slice/session-18.scope\n1:name=systemd:/user.slice/user-118.slice/session-18.scope\n',
      'job:4824887/0@1000',
    ],
    [
      'hybrid, the daemon in version 2',
      `9:memory:/docker/${ID}\n1:name=systemd:/docker/${ID}\n0::/system.slice/containerd.service\n`,
      'docker:b15a',
    ],
    [
      'hybrid, the pod only in one',
      `9:cpuset:/\n8:pids:/kubepods/burstable/pod${UID}/${ID}\n0::/system.slice/kubelet.service\n`,
      'unknown:b15a pod:fd52',
    ],
    [
      'hybrid, slurm beside its daemon',
      '4:devices:/slurm/uid_7/job_1/step_batch\n0::/system.slice/slurmd.service\n',
      'job:1/batch@7',
    ],
    [
      'a unit as systemd has it',
      '7:pids:/system.slice/old.service\n1:name=systemd:/system.slice/new.service\n0::/\n',
      'unit:new.service',
    ],
    [
      'lxc beside a session',
      '11:hugetlb:/lxc/p1\n3:cpuset:/lxc/p1\n2:name=systemd:/user/1000.user/1.session',
      'lxc:p1',
    ],
    ['empty', '', ''],
    ['no cgroup file', 'hello\n1:2\n0::relative\n', ''],
  ])('%s', (_what, text, want) => expect(short(parseCgroup(text))).toBe(want));
});

test('pod UIDs are given with dashes', () => {
  expect(parseCgroup(`0::${PODS}/cri-containerd-${ID}.scope`).podUid).toBe(UID);
});

describe('whatever the text', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'docker',
      'pod',
      'kubepods',
      'slurm',
      'job_1',
      'step_0',
      'lxc',
      'ecs',
      '..',
      '0::',
      ':',
      '-',
      '.scope',
      '.service',
    ),
    fc.constantFrom(ID, ID2, UID, UID_, STATIC, ID.slice(1)),
    fc.string({ maxLength: 5 }),
    fc.constantFrom('/', '\n', '/'),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => `0::/${pieces.join('')}`);

  test('it never throws, and everything it names stands in the text', () => {
    fc.assert(
      fc.property(text, (cgroup) => {
        const { container, podUid, job, unit } = parseCgroup(cgroup);
        for (const word of [container?.id, job?.id, job?.step, unit]) {
          if (word != null) expect(cgroup).toContain(word);
        }
        if (podUid !== null) expect(cgroup.replaceAll('_', '-')).toContain(`pod${podUid}`);
      }),
      { numRuns: 2000 },
    );
  });

  test('an id that is not of 64 digits is no container', () => {
    const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 60, maxLength: 68 });
    const form = fc.constantFrom(
      '/docker/#',
      '/system.slice/docker-#.scope',
      '/kubepods/x/#',
      '/system.slice:docker:#',
    );
    fc.assert(
      fc.property(hex, form, (id, path) => {
        const { container } = parseCgroup(`0::${path.replace('#', id)}`);
        expect(container?.id ?? null).toBe(id.length === 64 ? id : null);
      }),
    );
  });
});
