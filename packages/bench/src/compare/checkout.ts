import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { WorkloadContext } from '../workload.ts'

const run = promisify(execFile)

/** The folder of the working tree. */
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const ASSETS = 'node_modules/.cache/stowage/bench-assets'

/** The working tree, or another commit of this repository. */
export interface Checkout {
  name: string
  /** The path of its CLI. */
  program: string
  /** Copies a database with this many assets, created by the checkout's own code, into a data folder. */
  copyFilled(folder: string, count: number): Promise<void>
}

export async function workingTree(): Promise<Checkout> {
  await prepare(ROOT)
  return checkoutIn(ROOT, 'working tree')
}

/**
 * Checks out a commit into a temporary folder, with the installed packages of the working tree. The folder is removed
 * when the context is closed.
 */
export async function checkOut(context: WorkloadContext, ref: string): Promise<Checkout> {
  const folder = await addWorktree(context, ref)
  await prepare(folder)
  return checkoutIn(folder, ref)
}

export async function addWorktree(context: WorkloadContext, ref: string): Promise<string> {
  const git = (...args: string[]) => run('git', ['-C', ROOT, ...args])
  const { stdout } = await git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`).catch(() => {
    throw new Error(`${ref} is not a commit of this repository`)
  })
  const folder = await mkdtemp(join(tmpdir(), 'stowage-compare-'))
  context.defer(async () => {
    // After a signal, programs in the folder may still be writing their compile cache.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    await git('worktree', 'prune')
  })
  await git('worktree', 'add', '--quiet', '--detach', folder, stdout.trim())
  await linkPackages(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  // It is only built again if it is missing, or if the sources of the dashboard differ.
  const dist = 'packages/dashboard/dist'
  await cp(join(ROOT, dist), join(folder, dist), { recursive: true }).catch(() => {})
  await mkdir(join(ROOT, ASSETS), { recursive: true })
  await mkdir(join(folder, ASSETS, '..'), { recursive: true })
  await symlink(join(ROOT, ASSETS), join(folder, ASSETS))
  return folder
}

/** Links each installed package. The relative links to the workspaces then lead to those of the other checkout. */
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

/** As after `npm ci`: builds the dashboard and the CLI. */
async function prepare(folder: string): Promise<void> {
  await run('npm', ['run', '--silent', 'prepare'], { cwd: folder })
}

const COPY_FILLED = `
  const [module, folder, count] = process.argv.slice(1)
  const { copyFilled } = await import(module)
  await copyFilled(folder, Number(count))
`

function checkoutIn(root: string, name: string): Checkout {
  return {
    name,
    program: join(root, 'packages/cli/bin/stowage.js'),
    async copyFilled(folder, count) {
      const module = join(root, 'packages/bench/src/catalog/filled.ts')
      const options = ['--input-type=module', '--eval', COPY_FILLED]
      await run(process.execPath, [...options, module, folder, `${count}`])
    },
  }
}
