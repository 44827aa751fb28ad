import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../model/errors.ts';
import { parseRequest } from './arguments.ts';
import { inItsWords, SmiFailure } from './failure.ts';
import { guardSmi } from './guard.ts';

function parse(line: string) {
  return parseRequest(line === '' ? [] : line.split(' '));
}

/** The text of a failure with its exit code. */
function failure(line: string): string {
  try {
    parse(line);
  } catch (error) {
    if (error instanceof SmiFailure) return `${error.exit} ${error.message}`;
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'none';
}

describe('the spellings of nvidia-smi', () => {
  test('of what to print', () => {
    const check = (line: string, want: object) => expect(parse(line), line).toMatchObject(want);
    check('', { what: { kind: 'table' }, intervalMs: null, ids: null, file: null, source: { source: 'auto' } });
    check('-L', { what: { kind: 'list' } });
    check('--list-gpus -i 0', { what: { kind: 'list' }, ids: '0' });
    check('-q', { what: { kind: 'report', displays: [] } });
    check('-q -d memory,ECC', { what: { kind: 'report', displays: ['MEMORY', 'ECC'] } });
    check('-q --display=PIDS', { what: { displays: ['PIDS'] } });
    check('-q -x', { what: { kind: 'xml' } });
    check('-a -g 0 -d UTILIZATION', { what: { kind: 'report', displays: ['UTILIZATION'] }, ids: '0' });
    check('-x -q -f /tmp/a', { what: { kind: 'xml' }, file: '/tmp/a' });
    check('--version', { what: { kind: 'version' } });
    check('-h', { what: { kind: 'help' } });
    check('dmon -h', { what: { kind: 'help' } });
    check('topo -m', { what: { kind: 'topology' } });
    check('--help-query-compute-apps', { what: { kind: 'field-help', query: 'compute-apps' } });
    check('--source replay:a.csv dmon', { what: { kind: 'dmon' }, source: { source: 'replay:a.csv' } });
    check('--remote=ssh:a pmon', { what: { kind: 'pmon' }, source: { remote: 'ssh:a' } });
  });

  test('of queries', () => {
    const csv = { kind: 'csv', hasHeader: true, hasUnits: true };
    const check = (line: string, want: object) =>
      expect(parse(line).what, line).toMatchObject({ kind: 'query', query: want });
    check('--query-gpu=name,uuid --format=csv', { name: 'gpu', format: csv });
    check('--query-gpu name --format csv,noheader', { format: { ...csv, hasHeader: false } });
    check('--format=noheader,nounits,csv --query-gpu=name', {
      format: { kind: 'csv', hasHeader: false, hasUnits: false },
    });
    check('--query-compute-apps=pid --format=ndjson', { name: 'compute-apps', format: { kind: 'ndjson' } });
    check('--query-remapped-rows=gpu_uuid,remapped_rows.pending --format=json', { name: 'remapped-rows' });
  });

  test('of loops', () => {
    const check = (line: string, want: number | null) => expect(parse(line).intervalMs, line).toBe(want);
    check('-l', 5000);
    check('-l -i 0', 5000);
    check('-l 2', 2000);
    check('-l=2', 2000);
    check('--loop=1', 1000);
    check('-l 0.5', 500);
    check('-lms 500', 500);
    check('-lms=250', 250);
    check('--loop-ms=20', 20);
    check('dmon', 1000);
    check('dmon -d 5', 5000);
  });

  test('of monitors', () => {
    const check = (line: string, want: object) => expect(parse(line), line).toMatchObject(want);
    check('dmon -s pucvmet -c 5 -o DT -i 0,1', {
      what: { kind: 'dmon', groups: 'pucvmet', layout: { hasDate: true, hasTime: true, isCsv: false } },
      limit: 5,
      ids: '0,1',
    });
    check('dmon --format csv,nounit,noheader', {
      what: { layout: { isCsv: true, hasUnits: false, hasHeader: false } },
    });
    check('pmon -s um -o T', { what: { kind: 'pmon', groups: 'um', layout: { hasDate: false, hasTime: true } } });
    check('pmon', { limit: Number.POSITIVE_INFINITY, what: { groups: 'u' } });
  });
});

test('what is wrong is said in its words, with its exit codes', () => {
  const combination = "2 Invalid combination of input arguments. Please run 'gpulse smi -h' for help.";
  const check = (line: string, want: string) => expect(failure(line), line).toBe(want);
  check('-foo', "2 ERROR: Option -foo is not recognized. Please run 'gpulse smi -h' for help.");
  check('-lms100', "2 ERROR: Option -lms100 is not recognized. Please run 'gpulse smi -h' for help.");
  check('-i', "2 ERROR: Option -i is missing its value. Please run 'gpulse smi -h' for help.");
  check('--id=', "2 ERROR: Option --id is missing its value. Please run 'gpulse smi -h' for help.");
  check('--query-gpu=name', `2 "--format=" switch is missing. Please run 'gpulse smi -h' for help.`);
  check('--query-gpu=foo', '2 Field "foo" is not a valid field to query.\n');
  check('--query-gpu=name --query-compute-apps=pid --format=csv', '2 Only one --query-* switch can be used at a time.');
  for (const line of [
    'frobnicate',
    '-q -x -d ECC',
    '-q -d FOO',
    '-x',
    '--format=csv',
    '--query-gpu=name --format=yaml',
    '--query-gpu=name --format=noheader',
    '--query-gpu=name --format=csv,json',
    '-l 0',
    '-lms often',
    '-l 1 -lms 5',
    'dmon -s xyz',
    'dmon -c 0',
    'dmon -c 1.5',
    'dmon -o X',
    'pmon --format csv',
    'topo',
    '--host http://a:9400 --source auto',
    'dmon --remote=ssh:a --server http://a:9400',
    'topo -m --host http://a:9400 --nvml-library /a.so',
  ]) {
    check(line, combination);
  }
  for (const line of ['-pm 1', '--power-limit=200', '-r', 'drain -q', '-i 0 -pl 300'])
    check(line, 'LEFT_TO_NVIDIA_SMI');
  for (const line of [
    'nvlink -s',
    'topo -p2p r',
    'topo -mp',
    'stats',
    '-B',
    '--query-accounted-apps=pid',
    '--query-retired-pages=pid',
    '--query-supported-clocks=gr --format=csv',
  ]) {
    check(line, 'SMI_NOT_OFFERED');
  }
});

test('whatever the words, they are understood or refused', () => {
  const words = [
    '-l',
    '-i',
    '0',
    '-q',
    '-x',
    'dmon',
    '-s',
    'p',
    '-lms',
    '=',
    '--',
    '-',
    '',
    '--id=',
    '--format=csv',
    '-d',
    '1e9',
  ];
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...words), fc.string())), (line) => {
      try {
        parseRequest(line);
      } catch (error) {
        expect(error instanceof SmiFailure || error instanceof AppError).toBe(true);
      }
    }),
  );
});

test('the words are kept from commander', () => {
  const check = (argv: string[], want: string[]) => expect(guardSmi(argv)).toEqual(want);
  check(['smi', '-lms', '5'], ['smi', '--', '-lms', '5']);
  check(['--lang', 'zh', 'smi', '-L'], ['--lang', 'zh', 'smi', '--', '-L']);
  check(['--lang=zh', 'smi'], ['--lang=zh', 'smi', '--']);
  check(['stat', 'smi'], ['stat', 'smi']);
  check([], []);
});

test('why nothing can be read has its exit code', () => {
  const check = (code: AppError['code'], exit: number | null) =>
    expect(inItsWords(new AppError(code))?.exit ?? null).toBe(exit);
  check('NVML_LIBRARY_NOT_FOUND', 12);
  check('NVML_DRIVER_NOT_LOADED', 9);
  check('NVML_VERSION_MISMATCH', 18);
  check('NVML_NO_PERMISSION', 4);
  check('NVML_NO_DEVICES', 6);
  check('FILE_UNREADABLE', null);
});
