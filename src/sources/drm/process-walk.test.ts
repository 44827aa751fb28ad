import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeTree } from './fake-tree.ts';
import { ProcessWalk } from './process-walk.ts';
import { Progress } from './progress.ts';

let tree: FakeTree;
let walk: ProcessWalk;

beforeEach(() => {
  tree = new FakeTree();
  walk = new ProcessWalk(`${tree.root}/proc`, new Progress());
});

afterEach(() => tree.dispose());

function holders(now: number, hints: number[] = []): string[] {
  walk.look(now, hints);
  return [...walk.holders()].map(
    ({ pid, nodes }) => `${pid}: ${nodes.map(({ fd, minor }) => `${fd}=${minor}`).join(' ')}`,
  );
}

test('finds the files of graphics drivers among the open ones', () => {
  tree.link('proc/10/fd/3', '/dev/dri/renderD128');
  tree.link('proc/10/fd/4', '/dev/dri/card1');
  tree.link('proc/10/fd/5', '/dev/dri/by-path/pci-0000:03:00.0-render');
  tree.link('proc/10/fd/6', 'socket:[12]');
  tree.link('proc/10/fd/7', '/home/x/dev/dri/card1.txt');
  tree.link('proc/11/fd/3', '/dev/null');
  tree.write('proc/self-like/fd', 'no process');
  tree.write('proc/meminfo', '');
  expect(holders(0)).toEqual(['10: 3=128 4=1']);
});

test('a process that opens a GPU later is found, and one that ends is gone', () => {
  tree.link('proc/10/fd/0', '/dev/null');
  expect(holders(0)).toEqual([]);
  tree.link('proc/10/fd/9', '/dev/dri/renderD129');
  expect(holders(1000)).toEqual(['10: 9=129']);
  tree.remove('proc/10');
  expect(holders(2000)).toEqual([]);
});

test('a process without a GPU is looked into ever more rarely, unless the driver names it', () => {
  tree.link('proc/10/fd/0', '/dev/null');
  for (const at of [0, 1000, 3000, 7000]) holders(at);
  tree.link('proc/10/fd/9', '/dev/dri/renderD129');
  expect(holders(14_000)).toEqual([]);
  expect(holders(14_100, [10])).toEqual(['10: 9=129']);
});

test('a process with a GPU is looked into again for others', () => {
  tree.link('proc/10/fd/9', '/dev/dri/renderD129');
  holders(0);
  tree.link('proc/10/fd/10', '/dev/dri/renderD130');
  expect(holders(4000)).toEqual(['10: 9=129']);
  expect(holders(5000)).toEqual(['10: 10=130 9=129']);
});

test('one look follows a bounded number of links, and the next ones go on', () => {
  holders(0);
  for (let pid = 100; pid < 110; pid++) {
    for (let fd = 0; fd < 700; fd++) tree.link(`proc/${pid}/fd/${fd}`, fd === 0 ? '/dev/dri/card0' : '/dev/null');
  }
  const found = [1000, 1100, 1200].map((at) => holders(at).length);
  expect(found[0]).toBeLessThan(10);
  expect(found[2]).toBe(10);
});

test('no processes at all, or no folder of them', () => {
  expect(holders(0)).toEqual([]);
  expect(new ProcessWalk('/nowhere', new Progress()).hidden).toBe(0);
});
