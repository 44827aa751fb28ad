import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../sources/nvml/fake-driver.ts';

const GPULSE = resolve(import.meta.dirname, '../../bin/gpulse');

/** What people have in their scripts, notes and shell histories, with the names of the tools they were written for. */
describe.skipIf(!HAS_FAKE_DRIVER)('lines that were written for nvidia-smi and gpustat', () => {
  let driver: FakeDriver;
  beforeEach(() => {
    driver = new FakeDriver({
      script: [
        'gpus 2',
        'gpu 1 memory-used 1048576',
        'gpu 1 utilization 0',
        `process 0 pid ${process.pid} memory 1048576000 kind compute`,
      ].join('\n'),
    });
  });
  afterEach(() => driver.dispose());

  function sh(line: string): string {
    const source = `--no-server --nvml-library ${driver.library}`;
    const tools = [
      `nvidia-smi() { '${GPULSE}' smi "$@" --nvml-library '${driver.library}'; }`,
      `gpustat() { '${GPULSE}' stat ${source} "$@"; }`,
    ];
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-o', 'pipefail', '-c', [...tools, line].join('\n')], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', LANG: 'C', TZ: 'UTC' },
      timeout: 30_000,
    });
    expect(stderr, line).toBe('');
    return stdout.trimEnd();
  }

  test.each<[string, string | RegExp]>([
    ['nvidia-smi -L | wc -l', '2'],
    ['nvidia-smi --query-gpu=count --format=csv,noheader | head -n 1', '2'],
    ["nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | awk '{s+=$1} END {print s}'", '10241'],
    [
      'nvidia-smi --query-gpu=index,memory.free --format=csv,nounits,noheader | sort -nk2 -t, -r | head -n1 | cut -d, -f1',
      '1',
    ],
    [
      'nvidia-smi --format=csv --query-gpu=power.draw,utilization.gpu,fan.speed,temperature.gpu -i 0',
      /^power\.draw \[W\], utilization\.gpu \[%\], fan\.speed \[%\], temperature\.gpu\n235\.40 W, 35 %, 30 %, 41$/,
    ],
    [
      'nvidia-smi --query-compute-apps=pid --format=csv,noheader | xargs -r ps -o pid= -p | tr -d " "',
      String(process.pid),
    ],
    ["nvidia-smi -q -d MEMORY | grep -A4 'FB Memory' | grep Total | head -n1 | awk '{print $3}'", '81920'],
    ["nvidia-smi -q -x | grep -c '<gpu id='", '2'],
    ["nvidia-smi | grep -oP '\\d+MiB / +\\d+MiB' | head -n1", '10240MiB /  81920MiB'],
    ["nvidia-smi dmon -c 1 -s u | grep -v '#' | wc -l", '2'],
    ['nvidia-smi pmon -c 1 | awk \'$3=="C"{print $2}\'', String(process.pid)],
    [
      'gpustat --json | python3 -c \'import json,sys; print([g["memory.used"] for g in json.load(sys.stdin)["gpus"]][0])\'',
      '10240',
    ],
    ["gpustat -cup --no-color | grep -oE '/[0-9]+\\(' | tr -d '/('", String(process.pid)],
    ["gpustat --no-header --no-color -P | awk -F'|' '{print $2}' | head -n1", '  41°C,  35 %,  235 / 700 W'],
  ])('%s', (line, want) => {
    if (typeof want === 'string') expect(sh(line)).toBe(want.trimEnd());
    else expect(sh(line)).toMatch(want);
  });
});
