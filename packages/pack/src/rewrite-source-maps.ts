import { glob, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { ROOT } from './manifest.ts'

/**
 * Rewrites the source paths in all source maps of the folder to paths in the repository
 * (`packages/client/src/client.ts`). The compiler writes them relative to a temporary folder. The maps
 * contain the sources themselves.
 */
export async function rewriteSourceMaps(folder: string): Promise<void> {
  for await (const name of glob('**/*.map', { cwd: folder })) {
    const file = join(folder, name)
    const map = JSON.parse(await readFile(file, 'utf8')) as { sources: string[] }
    const sources = map.sources.map((source) =>
      relative(ROOT, resolve(dirname(file), source)).replaceAll(sep, '/'),
    )
    await writeFile(file, JSON.stringify({ ...map, sources }))
  }
}
