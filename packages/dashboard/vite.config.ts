import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'

export const config: InlineConfig = {
  root: import.meta.dirname,
  // build.ts passes this object, and Vite reads no other configuration.
  configFile: false,
  logLevel: 'warn',
  plugins: [react()],
  build: {
    // Not the default `assets`: `/assets/<id>` is the page of an asset.
    assetsDir: 'app',
    target: 'es2022',
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    // Lists the licenses of all bundled packages.
    license: { fileName: 'licenses.md' },
    // build.test.ts limits the total size instead.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        // One chunk for the client: it loads its event stream on demand, but the dashboard always needs the stream.
        codeSplitting: {
          groups: [{ name: 'client', test: /client[\\/]src[\\/](?!products-file)/ }],
        },
      },
    },
  },
}
