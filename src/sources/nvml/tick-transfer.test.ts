import { describe, expect, test } from 'vitest';
import { NO_NEWS, type TickNews, type TickReply, tickBytes } from './protocol.ts';
import { TickReceiver, TickSender } from './tick-transfer.ts';

const METRICS = 5;

/** A tick in the sender's memory, each byte of it the same. */
function tickOf(
  sender: TickSender,
  gpuCount: number,
  processCount: number,
  byte: number,
  news: TickNews | null = null,
) {
  const bytes = tickBytes(gpuCount, METRICS, processCount);
  const buffer = sender.memory(bytes);
  new Uint8Array(buffer).fill(byte, 0, bytes);
  return { type: 'tick', buffer, gpuCount, processCount, news } satisfies TickReply;
}

function bytesOf(reply: unknown): readonly number[] {
  return [...new Set(new Uint8Array((reply as TickReply).buffer))];
}

describe('ticks are handed over', () => {
  test('whole, and each stays as it was when the next one comes', () => {
    const sender = new TickSender();
    const receiver = new TickReceiver(METRICS);
    const replies = [1, 2, 3].map((byte) => receiver.replyOf(sender.messageOf(tickOf(sender, 2, byte, byte))));
    expect(replies.map(bytesOf)).toEqual([[1], [2], [3]]);
    expect(replies).toEqual(
      [1, 2, 3].map((processCount) => {
        const buffer = expect.objectContaining({ byteLength: tickBytes(2, METRICS, processCount) });
        return { type: 'tick', buffer, gpuCount: 2, processCount, news: null };
      }),
    );
  });

  test('as a number where nothing has happened, and as a message where something has', () => {
    const sender = new TickSender();
    const send = (gpus: number, processes: number, news: TickNews | null = null): unknown =>
      sender.messageOf(tickOf(sender, gpus, processes, 0, news));
    expect(send(2, 1)).toMatchObject({ gpuCount: 2 });
    expect(send(2, 3)).toBe(3);
    expect(send(2, 0, NO_NEWS)).toMatchObject({ news: NO_NEWS });
    expect(send(3, 0)).toMatchObject({ gpuCount: 3 });
    expect(send(3, 0)).toBe(0);
    // More than there was room for.
    expect(send(3, 500)).toMatchObject({ processCount: 500 });
    expect(send(3, 1)).toBe(1);
  });

  test('between other replies, which stay as they are', () => {
    const sender = new TickSender();
    const receiver = new TickReceiver(METRICS);
    const failed = { type: 'failed', failure: { code: 'NVML_NO_DEVICES', params: {} } } as const;
    receiver.replyOf(sender.messageOf(tickOf(sender, 1, 0, 7)));
    expect(receiver.replyOf(sender.messageOf(failed))).toBe(failed);
    expect(bytesOf(receiver.replyOf(sender.messageOf(tickOf(sender, 1, 0, 8))))).toEqual([8]);
  });
});
