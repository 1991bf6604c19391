import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'

export const config: InlineConfig = {
  root: import.meta.dirname,
  // Ours is `build.ts`: nothing is read from elsewhere.
  configFile: false,
  logLevel: 'warn',
  plugins: [react()],
  build: {
    // `/assets/<id>` is the page of an asset.
    assetsDir: 'app',
    target: 'es2022',
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    // Those of what is bundled, beside it.
    license: { fileName: 'licenses.md' },
    // A test keeps the whole of it small.
    chunkSizeWarningLimit: 1000,
  },
}
