import { glob, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { ROOT } from './manifest.ts'

/**
 * Makes the source maps in the folder name their sources by the path in the repository
 * (`packages/client/src/client.ts`). The compiler names them by the way from a temporary folder, which is
 * of no use to anybody else. The sources themselves are inside of the maps.
 */
export async function relateSourceMaps(folder: string): Promise<void> {
  for await (const name of glob('**/*.map', { cwd: folder })) {
    const file = join(folder, name)
    const map = JSON.parse(await readFile(file, 'utf8')) as { sources: string[] }
    const sources = map.sources.map((source) =>
      relative(ROOT, resolve(dirname(file), source)).replaceAll(sep, '/'),
    )
    await writeFile(file, JSON.stringify({ ...map, sources }))
  }
}
