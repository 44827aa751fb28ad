/** What to call a failure of the history: what waits for an engine is on the disk of the host, and nothing of it is lost. */
export function historyTrouble({ code }: { readonly code: string }): 'web.history.waiting' | 'web.history.failure' {
  return code === 'HISTORY_ENGINE_DOWN' ? 'web.history.waiting' : 'web.history.failure';
}
