import { build, defineConfig, type Plugin } from 'vite';

/**
 * Escapes what is not ASCII: V8 keeps the text of a script with one such character at two bytes a character, which is
 * some megabytes of memory for as long as it runs.
 */
function asciiOnly(): Plugin {
  return {
    name: 'ascii-only',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        chunk.code = chunk.code.replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
      }
    },
  };
}

/**
 * What one look at the GPUs takes, and whatever that imports, is one file: each further one costs it half a millisecond.
 * What only other commands or sources need is loaded when they do.
 */
const ONE_LOOK =
  /\/src\/(?:cli\/(?:main|commands\/stat|stat\/run)|app\/(?:one-shot|open-machine)|sources\/(?:nvml\/nvml|amdgpu\/amdgpu|intel\/intel)-source)\.ts$/;

const THREADS = 'threads';

/** The programs, by the name of their file: a thread shares no file with the command line, so that it starts fast too. */
const PROGRAMS = {
  cli: { entry: 'src/cli/entry.ts' },
  threads: {
    'nvml-worker': 'src/sources/nvml/worker.ts',
    'amdgpu-worker': 'src/sources/amdgpu/worker.ts',
    'intel-worker': 'src/sources/intel/worker.ts',
    'history-worker': 'src/history/worker.ts',
  },
} as const;

/** Bundles the threads into the same folder, once the command line is there. */
function threadsToo(): Plugin {
  let outDir = '';
  return {
    name: 'threads-too',
    configResolved: (config) => {
      outDir = config.build.outDir;
    },
    closeBundle: async () => {
      await build({ configFile: import.meta.filename, mode: THREADS, build: { outDir } });
    },
  };
}

/**
 * Bundles the command line and its threads into `dist/node/`. A few files start faster than a hundred modules, and spare the
 * run-time type stripping (about 50 ms and 17 MB).
 */
export default defineConfig(({ mode }) => ({
  plugins: mode === THREADS ? [asciiOnly()] : [asciiOnly(), threadsToo()],
  logLevel: 'error',
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'dist/node',
    emptyOutDir: mode !== THREADS,
    sourcemap: true,
    reportCompressedSize: false,
    rolldownOptions: {
      input: mode === THREADS ? PROGRAMS.threads : PROGRAMS.cli,
      output: {
        codeSplitting: { groups: mode === THREADS ? [] : [{ name: 'one-look', test: ONE_LOOK }] },
        minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        ...(mode === THREADS
          ? { format: 'es', entryFileNames: '[name].js' }
          : { format: 'cjs', entryFileNames: '[name].cjs' }),
        // By this name it is found, see code-cache.ts.
        chunkFileNames: ({ name }) =>
          name === 'one-look' ? '[name].cjs' : `[name]-[hash].${mode === THREADS ? 'js' : 'cjs'}`,
      },
    },
  },
  ssr: { noExternal: true, external: ['koffi'] },
}));
