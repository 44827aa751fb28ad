import { expect, test } from 'vitest';
import { acceptsGzip, chooseFormat } from './negotiation.ts';

test('OpenMetrics is for those who ask for it', () => {
  const check = (accept: string | undefined, format: string) => expect(chooseFormat(accept), accept).toBe(format);
  check(undefined, 'prometheus');
  check('', 'prometheus');
  check('*/*', 'prometheus');
  check('text/html,application/xhtml+xml,*/*;q=0.8', 'prometheus');
  check('text/plain', 'prometheus');
  check('application/openmetrics-text', 'openmetrics');
  check('application/openmetrics-text; version=1.0.0', 'openmetrics');
  check('Application/OpenMetrics-Text; Version="1.0.0"', 'openmetrics');
  check('application/openmetrics-text;version=0.0.1', 'prometheus');
  check('application/openmetrics-text;q=0', 'prometheus');
  check('application/openmetrics-text;q=0.3,text/plain;version=0.0.4;q=0.7', 'prometheus');
  check('text/plain;q=0.5, application/openmetrics-text;q=0.5', 'openmetrics');
  check('application/openmetrics-text;q=nonsense', 'prometheus');
  check(',;,=;q', 'prometheus');
  // As Prometheus 2.42 and 3 send it.
  check(
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'openmetrics',
  );
  check(
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.5,*/*;q=0.2',
    'openmetrics',
  );
});

test('gzip is used where it is accepted', () => {
  const check = (header: string | undefined, accepted: boolean) => expect(acceptsGzip(header), header).toBe(accepted);
  check(undefined, false);
  check('identity', false);
  check('gzip', true);
  check('deflate, GZIP;q=0.5', true);
  check('gzip;q=0', false);
  check('*', true);
  check('gzip;q=0, *', false);
  check('br', false);
});
