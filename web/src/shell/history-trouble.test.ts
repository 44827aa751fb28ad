import { expect, test } from 'vitest';
import { historyTrouble } from './history-trouble.ts';

test('what waits for an engine is not called lost', () => {
  expect(historyTrouble({ code: 'HISTORY_ENGINE_DOWN' })).toBe('web.history.waiting');
  for (const code of ['HISTORY_QUEUE_FULL', 'HISTORY_DISK_FULL', 'HISTORY_BEHIND']) {
    expect(historyTrouble({ code })).toBe('web.history.failure');
  }
});
