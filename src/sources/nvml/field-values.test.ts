import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { FIELD_VALUE, VALUE_TYPE } from './abi.ts';
import { closeBoards, readBoard } from './fake-board.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { fieldValue, getFieldValues } from './field-values.ts';

afterEach(closeBoards);

describe.skipIf(!HAS_FAKE_DRIVER)('a field value', () => {
  /** What is read where the library has left this value of this type. */
  function reader(): (type: number, write: (view: DataView, at: number) => void) => number {
    const { nvml } = readBoard().native;
    const view = new DataView(nvml.out.buffer);
    return (type, write) => {
      nvml.out.fill(0, 0, FIELD_VALUE.size / 4);
      view.setInt32(FIELD_VALUE.type, type, true);
      write(view, FIELD_VALUE.value);
      return fieldValue(nvml, 0);
    };
  }

  test('is read by its type', () => {
    const read = reader();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x7ffffffe }), (value) => {
        expect(read(VALUE_TYPE.u32, (view, at) => view.setUint32(at, value, true))).toBe(value);
        expect(read(VALUE_TYPE.i32, (view, at) => view.setInt32(at, -value, true))).toBe(0 - value);
        expect(read(VALUE_TYPE.u64, (view, at) => view.setBigUint64(at, BigInt(value), true))).toBe(value);
        expect(read(VALUE_TYPE.ulong, (view, at) => view.setBigUint64(at, BigInt(value) << 20n, true))).toBe(
          value * 2 ** 20,
        );
        expect(read(VALUE_TYPE.double, (view, at) => view.setFloat64(at, value / 8, true))).toBe(value / 8);
      }),
    );
    expect(read(VALUE_TYPE.u16, (view, at) => view.setUint16(at, 77, true))).toBe(77);
    expect(read(VALUE_TYPE.i64, (view, at) => view.setBigInt64(at, 5_000_000_000n, true))).toBe(5_000_000_000);
  });

  test('is no number where the driver has none, in any width', () => {
    const read = reader();
    const wide = [0xffffffffffffffffn, 0xfffffffffffffffen, 0x7fffffffffffffffn, 0x7ffffffffffffff2n, 0xffffffffn];
    for (const value of wide) {
      expect(
        read(VALUE_TYPE.u64, (view, at) => view.setBigUint64(at, value, true)),
        `${value}`,
      ).toBeNaN();
      expect(
        read(VALUE_TYPE.ulong, (view, at) => view.setBigUint64(at, value, true)),
        `${value}`,
      ).toBeNaN();
    }
    for (const value of [0xffffffff, 0xfffffffe, 0x7fffffff]) {
      expect(
        read(VALUE_TYPE.u32, (view, at) => view.setUint32(at, value, true)),
        `${value}`,
      ).toBeNaN();
    }
    expect(read(VALUE_TYPE.i32, (view, at) => view.setInt32(at, 0x7fffffff, true))).toBeNaN();
    expect(read(VALUE_TYPE.i64, (view, at) => view.setBigInt64(at, 0x7fffffffffffffffn, true))).toBeNaN();
    expect(read(VALUE_TYPE.u16, (view, at) => view.setUint16(at, 0xffff, true))).toBeNaN();
    expect(read(99, (view, at) => view.setUint32(at, 5, true))).toBeNaN();
  });

  test('many are asked for in one call', () => {
    const board = readBoard();
    const before = board.driver.calls();
    const fields = Array.from({ length: 100 }, (_, link) => ({ id: 165, scope: link }));
    expect(getFieldValues(board.native.nvml, board.gpus[0]!.handle, fields)).toBe(0);
    expect(board.driver.calls() - before).toBe(1);
  });
});
