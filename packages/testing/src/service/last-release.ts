import { execFile } from 'node:child_process'
import { mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { aFolder } from '../machine/clean-up.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

/** The last commit whose only migration is the released one of this version. */
export const LAST_RELEASE = {
  version: '0.2.0',
  commit: '1f67f81e',
  migrations: ['0001_baseline.sql'],
}

/** Why the last release cannot be run here. Undefined: it can be. */
export async function missingForLastRelease(): Promise<string | undefined> {
  const { commit } = LAST_RELEASE
  const isFound = await git('cat-file', '-e', `${commit}^{commit}`).then(
    () => true,
    () => false,
  )
  if (isFound) return undefined
  return `the commit ${commit} is not in this clone: fetch the whole history (git fetch --unshallow)`
}

/**
 * Writes the files of the last release into a temporary folder, with the installed packages of this tree. Returns the
 * path of its CLI.
 */
export async function checkOutLastRelease(t: TestContext): Promise<string> {
  const folder = await aFolder(t)
  const archive = join(folder, 'release.tar')
  await git('archive', `--output=${archive}`, LAST_RELEASE.commit, 'package.json', 'packages')
  await run('tar', ['--extract', `--file=${archive}`, `--directory=${folder}`])
  await linkPackages(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'packages/cli/bin/stowage.js')
}

function git(...words: string[]) {
  return run('git', ['-C', ROOT, ...words])
}

/** Links each installed package. The relative links to the workspaces then lead to those of the release. */
async function linkPackages(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true })
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    if (entry.name === '.cache') continue
    if (entry.isSymbolicLink()) await symlink(await readlink(from), to)
    else if (entry.name.startsWith('@')) await linkPackages(from, to)
    else await symlink(from, to)
  }
}
