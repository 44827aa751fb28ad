import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONDITIONS } from '../../../src/client/condition.ts';
import { LANGUAGES } from '../../../src/model/i18n/text.ts';
import { formatPlace, type Place, PRESETS, parsePlace } from './place.ts';

function parse(url: string): Place {
  const [path = '', search = ''] = url.split('?');
  return parsePlace(path, search);
}

test('parsePlace understands paths and leaves the rest at its default', () => {
  const check = (url: string, want: Partial<Place>) => expect(parse(url), url).toMatchObject(want);
  check('', { route: { view: 'overview' }, range: null, condition: null, text: '', layout: null, lang: null });
  check('index.html', { route: { view: 'overview' } });
  check('about', { route: { view: 'about' } });
  check('gpu/GPU-1', { route: { view: 'gpu', uuid: 'GPU-1' } });
  check('gpu/a%2Fb', { route: { view: 'gpu', uuid: 'a/b' } });
  check('gpu/%E0%A4%A', { route: { view: 'not-found', path: 'gpu/%E0%A4%A' } });
  check('gpu/', { route: { view: 'not-found', path: 'gpu/' } });
  check('gpu/a/b', { route: { view: 'not-found', path: 'gpu/a/b' } });
  check('runs', { route: { view: 'not-found', path: 'runs' } });
  check('gpu/x?range=24h&lang=zh', { range: '24h', lang: 'zh' });
  check('gpu/x?range=fortnight&lang=fr', { range: null, lang: null });
  check('gpu/x?from=1000&to=2000&range=1h', { range: { from: 1000, to: 2000 } });
  check('gpu/x?from=2000&to=1000', { range: null });
  check('gpu/x?from=1e3&to=Infinity', { range: null });
  check('?state=lost&q=zhang%20li&layout=rows', { condition: 'lost', text: 'zhang li', layout: 'rows' });
  check('?state=fine&layout=cube', { condition: null, layout: null });
});

test('formatPlace writes only what differs from the default', () => {
  const check = (url: string, want = url) => expect(formatPlace(parse(url))).toBe(want);
  check('');
  check('?state=throttled&q=li&lang=en');
  check('gpu/GPU-1?range=live');
  check('gpu/GPU-1?range=15m&from=5', 'gpu/GPU-1?range=15m');
  check('gpu/GPU-1?from=1&to=2&lang=zh');
  check('about?range=1h', 'about');
  check('findings?lang=zh');
});

const place = fc.record({
  route: fc.oneof(
    fc.constant({ view: 'overview' } as const),
    fc.constant({ view: 'about' } as const),
    fc.constant({ view: 'findings' } as const),
    fc.record({ view: fc.constant('gpu' as const), uuid: fc.string({ unit: 'grapheme', minLength: 1 }) }),
  ),
  range: fc.oneof(
    fc.constant(null),
    fc.constantFrom(...PRESETS),
    fc.tuple(fc.nat(), fc.nat()).map(([from, length]) => ({ from, to: from + 1 + length })),
  ),
  condition: fc.option(fc.constantFrom(...CONDITIONS)),
  text: fc.string({ unit: 'grapheme' }),
  layout: fc.option(fc.constantFrom('grid' as const, 'rows' as const)),
  lang: fc.option(fc.constantFrom(...LANGUAGES)),
});

test('a shared link shows the same place', () => {
  fc.assert(
    fc.property(place, (wanted) => {
      const shown = parse(formatPlace(wanted));
      expect(shown.route).toEqual(wanted.route);
      expect(shown.lang).toBe(wanted.lang);
      if (wanted.route.view === 'gpu') expect(shown.range).toEqual(wanted.range);
      if (wanted.route.view === 'overview') {
        expect(shown).toMatchObject({ condition: wanted.condition, text: wanted.text, layout: wanted.layout });
      }
    }),
  );
});
