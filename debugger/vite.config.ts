/** How the page is built: static files with hashed names, nothing inline, nothing from elsewhere, so that a strict content policy can hold. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const folder = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root: folder,
  base: '/',
  build: {
    outDir: fileURLToPath(new URL('../dist/debugger', import.meta.url)),
    emptyOutDir: true,
    // A data URL would need a hole in the content policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
    reportCompressedSize: false,
    rolldownOptions: {
      // "use client" is for servers that render; here all of it is for the client.
      checks: { moduleLevelDirective: false, bundlerTimings: false },
    },
  },
  // `vite` beside a running `axle serve`, for work on the page itself.
  server: { proxy: { '/v1': 'http://127.0.0.1:4319' } },
});
