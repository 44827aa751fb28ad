import type { TextFormat } from './text-format.ts';

interface Choice {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** 0…1; 0 is a refusal. */
  readonly quality: number;
}

/** The entries of an `Accept` or `Accept-Encoding` header. What is malformed is passed over. */
function parseChoices(header: string): readonly Choice[] {
  return header.split(',').flatMap((entry) => {
    const [name = '', ...rest] = entry.split(';').map((part) => part.trim());
    if (name === '') return [];
    const parameters = new Map(
      rest.map((part) => {
        const [key = '', value = ''] = part.split('=', 2);
        return [key.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1')];
      }),
    );
    const quality = Number(parameters.get('q') ?? 1);
    return [{ name: name.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 0 }];
  });
}

const OPEN_METRICS_VERSIONS: readonly (string | undefined)[] = [undefined, '1.0.0'];

/**
 * The form of the page. OpenMetrics only for those who name it and like it no less than plain text; everything else,
 * browsers included, gets the text format, whatever they accept: a scraper that cannot read it finds out by itself.
 */
export function chooseFormat(accept: string | undefined): TextFormat {
  let [openMetrics, text] = [0, 0];
  for (const { name, parameters, quality } of parseChoices(accept ?? '')) {
    if (name === 'application/openmetrics-text' && OPEN_METRICS_VERSIONS.includes(parameters.get('version'))) {
      openMetrics = Math.max(openMetrics, quality);
    }
    if (name === 'text/plain') text = Math.max(text, quality);
  }
  return openMetrics > 0 && openMetrics >= text ? 'openmetrics' : 'prometheus';
}

/** Whether the page may be sent compressed. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const choices = parseChoices(acceptEncoding ?? '');
  const named = choices.find(({ name }) => name === 'gzip') ?? choices.find(({ name }) => name === '*');
  return named !== undefined && named.quality > 0;
}
