/** The name under which the driver installs its library; the one without `.1` may be a stub of the CUDA toolkit. */
export const SONAME = 'libnvidia-ml.so.1';

/** Where distributions, containers, WSL, NixOS and GKE put the library when the loader does not find it by itself. */
export const LIBRARY_FOLDERS = [
  process.arch === 'arm64' ? '/usr/lib/aarch64-linux-gnu' : '/usr/lib/x86_64-linux-gnu',
  '/usr/lib64',
  '/usr/lib64/nvidia',
  '/usr/lib/nvidia',
  '/usr/lib',
  '/usr/lib/wsl/lib',
  '/run/opengl-driver/lib',
  '/usr/local/nvidia/lib64',
  '/usr/local/nvidia/lib',
  '/usr/lib/nvidia-current',
  '/opt/nvidia/lib64',
  '/home/kubernetes/bin/nvidia/lib64',
  '/run/nvidia/driver/usr/lib/x86_64-linux-gnu',
  '/run/nvidia/driver/usr/lib64',
] as const;
