import { cp, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { Plugin } from 'esbuild'
import { ROOT } from './manifest.ts'

export interface CopyOptions {
  /** The folder that all code is bundled into. */
  folder: string
  /** Called with a source that is started as a worker thread, so that it is bundled, too. */
  onWorker(source: string): void
}

/**
 * Finds the files that a source references by `new URL('…', import.meta.url)`. Copies files and folders into
 * the bundle, and reports worker threads.
 */
export function copyReferencedFiles({ folder, onWorker }: CopyOptions): Plugin {
  async function copy(path: string): Promise<string> {
    if (path.endsWith('.ts')) {
      onWorker(path)
      return `./${basename(path, '.ts')}.js`
    }
    const name = relative(join(ROOT, 'packages'), path).replaceAll(sep, '/')
    await cp(path, join(folder, name), { recursive: true })
    // With a trailing slash, URLs are resolved inside the folder.
    return path.endsWith(sep) ? `./${name}/` : `./${name}`
  }

  return {
    name: 'copy-referenced-files',
    setup({ onLoad }) {
      onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
        let contents = await readFile(path, 'utf8')
        for (const [whole, name = ''] of contents.matchAll(REFERENCE)) {
          const copied = await copy(join(dirname(path), name))
          contents = contents.replace(whole, `new URL('${copied}', import.meta.url)`)
        }
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
      })
    },
  }
}

const REFERENCE = /new URL\('([^']+)', import\.meta\.url\)/g
