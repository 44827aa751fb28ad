import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A program the tests need that npm cannot bring. */
export interface Part {
  readonly name: string;
  /** Any of these on PATH will do. */
  readonly commands: readonly string[];
  readonly debianPackage: string;
}

export const PARTS: readonly Part[] = [
  { name: 'C compiler', commands: ['cc', 'gcc', 'clang'], debianPackage: 'gcc libc6-dev' },
  { name: 'Chromium', commands: ['chromium', 'chromium-browser', 'google-chrome'], debianPackage: 'chromium' },
  { name: 'tmux', commands: ['tmux'], debianPackage: 'tmux' },
  { name: 'Pushgateway', commands: ['prometheus-pushgateway'], debianPackage: 'prometheus-pushgateway' },
  { name: 'InfluxDB', commands: ['influxd'], debianPackage: 'influxdb' },
  { name: 'VictoriaMetrics', commands: ['victoria-metrics'], debianPackage: 'victoria-metrics' },
  { name: 'Alertmanager', commands: ['amtool'], debianPackage: 'prometheus-alertmanager' },
  { name: 'Prometheus', commands: ['prometheus'], debianPackage: 'prometheus' },
  { name: 'kubectl', commands: ['kubectl'], debianPackage: 'kubernetes-client' },
  { name: 'zsh', commands: ['zsh'], debianPackage: 'zsh' },
  { name: 'fish', commands: ['fish'], debianPackage: 'fish' },
  { name: 'mandoc', commands: ['mandoc'], debianPackage: 'mandoc' },
  { name: 'systemd', commands: ['systemd-analyze'], debianPackage: 'systemd' },
];

function isOnPath(command: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0;
}

export function missingParts(): readonly Part[] {
  return PARTS.filter((part) => !part.commands.some(isOnPath));
}

/** Full path of the first command of a part that is installed, or null. */
export function commandOf(name: string): string | null {
  const part = PARTS.find((candidate) => candidate.name === name);
  const command = part?.commands.find(isOnPath);
  if (command === undefined) return null;
  return spawnSync('sh', ['-c', `command -v ${command}`], { encoding: 'utf8' }).stdout.trim();
}

/** Installs what is missing where that is allowed without asking (root on Debian); returns what is missing after. */
export function installMissingParts(): readonly Part[] {
  const missing = missingParts();
  const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (missing.length === 0 || !mayInstall) return missing;
  const packages = missing.flatMap((part) => part.debianPackage.split(' '));
  console.log(`installing what the tests need: ${packages.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
  return missingParts();
}
