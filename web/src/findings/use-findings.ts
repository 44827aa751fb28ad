import { useEffect, useState } from 'react';
import { failureFrom } from '../../../src/client/api.ts';
import type { ApiFailure } from '../../../src/client/failure.ts';
import type { ApiFindings } from '../../../src/model/api-finding.ts';
import { useLang, useSession } from '../state/app-context.ts';

/** The server looks at its data about as often. */
const AGAIN_MS = 20_000;

interface Known {
  /** Null until they are known; the last ones where they cannot be had any more. */
  readonly findings: ApiFindings | null;
  readonly failure: ApiFailure | null;
}

/** The findings of the last hour, asked for again now and then while somebody looks. */
export function useFindings(all: boolean): Known {
  const { api } = useSession();
  const lang = useLang();
  const [known, setKnown] = useState<Known>({ findings: null, failure: null });
  useEffect(() => {
    const abort = new AbortController();
    const ask = () =>
      api.findings(all, abort.signal).then(
        (findings) => setKnown({ findings, failure: null }),
        (error: unknown) => {
          const failure = failureFrom(error, lang);
          if (failure !== null && !abort.signal.aborted) setKnown(({ findings }) => ({ findings, failure }));
        },
      );
    const askIfSeen = () => {
      if (!document.hidden) void ask();
    };
    void ask();
    const timer = setInterval(askIfSeen, AGAIN_MS);
    document.addEventListener('visibilitychange', askIfSeen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', askIfSeen);
      abort.abort();
    };
  }, [api, lang, all]);
  return known;
}
