import { build } from 'esbuild'
import { bringAlong } from './copy-referenced-files.ts'

export interface BundleOptions {
  entry: string
  /** Packages that stay outside. */
  external: string[]
  folder: string
}

/**
 * Writes the entry and all it imports as JavaScript, in a few files side by side, of which still only
 * those are loaded that are used.
 */
export async function bundle({ entry, external, folder }: BundleOptions): Promise<void> {
  const entries = new Set([entry])
  // A set is walked to its end also where it grows on the way.
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
      plugins: [bringAlong({ folder, onThread: (file) => entries.add(file) })],
    })
  }
}
