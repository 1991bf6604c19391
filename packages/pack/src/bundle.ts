import { build } from 'esbuild'
import { copyReferencedFiles } from './copy-referenced-files.ts'

export interface BundleOptions {
  entry: string
  /** Packages that are not bundled. */
  external: string[]
  folder: string
}

/**
 * Bundles the entry and everything it imports as JavaScript. Dynamic imports stay separate files, which are
 * loaded only when they are used.
 */
export async function bundle({ entry, external, folder }: BundleOptions): Promise<void> {
  const entries = new Set([entry])
  // Iterating over a set includes entries that are added meanwhile.
  for (const each of entries) {
    await build({
      entryPoints: [each],
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      external,
      sourcemap: true,
      logLevel: 'silent',
      plugins: [copyReferencedFiles({ folder, onWorker: (file) => entries.add(file) })],
    })
  }
}
