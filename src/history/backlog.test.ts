import { expect, test } from 'vitest';
import { Backlog } from './backlog.ts';

const MIB = 2 ** 20;

test('there is room until too much waits', () => {
  const backlog = new Backlog();
  expect(backlog.hasRoomFor(16 * MIB, 0)).toBe(true);
  backlog.add(10, 15 * MIB, 0);
  expect(backlog.hasRoomFor(MIB, 0)).toBe(true);
  expect(backlog.hasRoomFor(MIB + 1, 0)).toBe(false);
  expect(backlog.settle()).toBe(10);
  expect(backlog.hasRoomFor(MIB + 1, 0)).toBe(true);
});

test('there is room until the oldest waits too long', () => {
  const backlog = new Backlog();
  backlog.add(1, MIB, 1000);
  backlog.add(2, MIB, 100_000);
  expect(backlog.hasRoomFor(1, 121_000)).toBe(true);
  expect(backlog.hasRoomFor(1, 121_001)).toBe(false);
  expect(backlog.settle()).toBe(1);
  expect(backlog.hasRoomFor(1, 121_001)).toBe(true);
});

test('everything can be given up at once, and settling nothing is harmless', () => {
  const backlog = new Backlog();
  backlog.add(1, MIB, 0);
  backlog.add(2, 15 * MIB, 0);
  expect(backlog.settleAll()).toBe(3);
  expect(backlog.settle()).toBe(0);
  expect(backlog.hasRoomFor(16 * MIB, 0)).toBe(true);
});
