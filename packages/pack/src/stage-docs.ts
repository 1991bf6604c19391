import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { ROOT } from './manifest.ts'

/** Copies the license, the README of the package, and the named pages of docs/. */
export async function stageDocs(staged: string, folder: string, docs: string[]): Promise<void> {
  await cp(join(ROOT, 'LICENSE'), join(staged, 'LICENSE'))
  const pages = new Map([[join(folder, 'README.md'), join(staged, 'README.md')]])
  for (const name of docs) pages.set(join(ROOT, 'docs', name), join(staged, 'docs', name))
  await mkdir(join(staged, 'docs'), { recursive: true })
  for (const [source, target] of pages) {
    const text = await readFile(source, 'utf8')
    await writeFile(target, text.replace(LINK, packedLink(source, target, pages)))
  }
}

/** A link to a file of the repository, with its text and anchor. */
const LINK = /\[([^\]]+)\]\((?![a-z]+:|#)([^)#]*)(#[^)]*)?\)/g

/** Rewrites links to the packed pages. Links to other files become plain text. */
function packedLink(source: string, target: string, pages: Map<string, string>) {
  return (_whole: string, text: string, path: string, anchor = ''): string => {
    const page = pages.get(join(dirname(source), path))
    if (page === undefined) return text
    return `[${text}](${relative(dirname(target), page).replaceAll(sep, '/')}${anchor})`
  }
}
