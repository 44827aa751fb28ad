import { CATALOGUE } from '../../model/catalogue.ts';
import type { AppError } from '../../model/errors.ts';
import { HTTP_WORDS } from '../../model/i18n/errors-http.ts';
import { fill, type Text } from '../../model/i18n/text.ts';
import { WordedError } from '../worded-error.ts';
import { nearest } from './edit-distance.ts';

/** UNKNOWN_METRIC for a name that the catalogue does not have, with the nearest that it has. */
export function unknownMetric(name: string): AppError {
  const near = nearest(
    name,
    CATALOGUE.map(({ id }) => id),
  );
  const suggestion = near === null ? NO_SUGGESTION : suggestionOf(near);
  return new WordedError('UNKNOWN_METRIC', { name }, { suggestion });
}

const NO_SUGGESTION: Text = { en: '', zh: '' };

function suggestionOf(near: string): Text {
  const { en, zh } = HTTP_WORDS['suggestion.metric'];
  return { en: fill(en, { nearest: near }), zh: fill(zh, { nearest: near }) };
}
