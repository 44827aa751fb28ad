import type { ErrorEntry } from './error-entry.ts';

/** Why the GPUs of a kernel graphics driver (amdgpu, i915, xe) cannot be read. */
export const DRM_ERRORS = {
  DRM_NO_GPU: {
    status: 503,
    exit: 3,
    message: { en: 'no {vendor} GPU was found in {path}', zh: '在 {path} 中没有找到 {vendor} GPU' },
    hint: {
      en: 'check "lspci -d ::0300" and "lspci -d ::0380"; in a container /sys of the host must be visible',
      zh: '请检查 lspci -d ::0300 与 lspci -d ::0380；容器内需能看到宿主机的 /sys',
    },
  },
  DRM_DRIVER_NOT_BOUND: {
    status: 503,
    exit: 3,
    message: {
      en: 'there is a {vendor} GPU ({place}), but no graphics driver runs it (driver: {driver})',
      zh: '有 {vendor} GPU（{place}），但没有显卡驱动在驱动它（当前驱动：{driver}）',
    },
    hint: {
      en: 'load the driver with "modprobe {module}", and look for the reason in "dmesg | grep -i {module}"; a GPU given to a virtual machine (vfio-pci) can only be read there',
      zh: '请执行 modprobe {module}，并在 dmesg | grep -i {module} 中查看原因；已直通给虚拟机（vfio-pci）的 GPU 只能在虚拟机内读取',
    },
  },
  DRM_TIMEOUT: {
    status: 503,
    exit: 3,
    message: {
      en: 'the {driver} driver has not answered for {seconds} s',
      zh: '{driver} 驱动已 {seconds} 秒没有响应',
    },
    hint: {
      en: 'a GPU or its driver hangs: see "dmesg | grep -i {driver}"',
      zh: 'GPU 或驱动挂起：请查看 dmesg | grep -i {driver}',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
