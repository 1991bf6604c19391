import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './manifest.ts'

/** The licence and the package's README: without the links into the repository, which is not there. */
export async function stagePapers(staged: string, folder: string): Promise<void> {
  await cp(join(ROOT, 'LICENSE'), join(staged, 'LICENSE'))
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  const alone = readme.replace(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1')
  await writeFile(join(staged, 'README.md'), alone)
}
