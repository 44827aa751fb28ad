import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Bundles the dashboard into `dist/web`, from where the server sends it. Relative addresses make it work below any
 * base path; no inlined assets, because the content security policy allows none.
 */
export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    // Reading a property of a table does nothing else, so that tables of which nothing is used are left out.
    rolldownOptions: { treeshake: { propertyReadSideEffects: false } },
  },
});
