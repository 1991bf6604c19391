import { cp, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { Plugin } from 'esbuild'
import { ROOT } from './manifest.ts'

export interface BringAlongOptions {
  /** Where all code is written, side by side. */
  folder: string
  /** A source that is started as a thread: it has to be bundled too. */
  onThread(source: string): void
}

/**
 * What a source finds beside itself, by `new URL('…', import.meta.url)`, comes along: files and folders
 * are copied, and threads are told of.
 */
export function bringAlong({ folder, onThread }: BringAlongOptions): Plugin {
  async function bring(path: string): Promise<string> {
    if (path.endsWith('.ts')) {
      onThread(path)
      return `./${basename(path, '.ts')}.js`
    }
    const name = relative(join(ROOT, 'packages'), path).replaceAll(sep, '/')
    await cp(path, join(folder, name), { recursive: true })
    // A folder's last slash says that addresses are taken from inside of it.
    return path.endsWith(sep) ? `./${name}/` : `./${name}`
  }

  return {
    name: 'bring-along',
    setup({ onLoad }) {
      onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
        let contents = await readFile(path, 'utf8')
        for (const [whole, name = ''] of contents.matchAll(BESIDE)) {
          const brought = await bring(join(dirname(path), name))
          contents = contents.replace(whole, `new URL('${brought}', import.meta.url)`)
        }
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
      })
    },
  }
}

const BESIDE = /new URL\('([^']+)', import\.meta\.url\)/g
