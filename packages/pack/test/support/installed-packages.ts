import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packAll } from '../../src/pack-all.ts'
import { run } from '../../src/run.ts'

export interface InstalledPackages {
  /** Why they could not be installed, through no fault of theirs. */
  missing?: string
  /** A project that has both packages and nothing else of ours, but the tests' programs. */
  project: string
  /** Where each version's `node` lies. */
  nodes: { '24': string; '26': string }
  remove(): Promise<void>
}

const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund']
/** Node's own package fetches its program as it is installed. Nothing else may run anything. */
const PROJECT = { private: true, type: 'module', allowScripts: { node: true } }
const UNREACHABLE = /code E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NOTCACHED)/

/** Packs the client and the command and installs them into an empty folder, and Node 26 into another. */
export async function installPackages(): Promise<InstalledPackages> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-packed-'))
  const project = join(folder, 'project')
  const newer = join(folder, 'newer-node')
  const installed = {
    project,
    nodes: { '24': dirname(process.execPath), '26': join(newer, 'node_modules/node/bin') },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
  try {
    const works = [
      packAll(join(folder, 'tarballs')).then((tarballs) => install(project, tarballs)),
      install(newer, ['node@26']),
    ]
    // Both to their end, so that none writes where all is removed.
    await Promise.allSettled(works)
    await Promise.all(works)
    await cp(join(import.meta.dirname, '../programs'), project, { recursive: true })
    return installed
  } catch (error) {
    if (error instanceof Error && UNREACHABLE.test(error.message)) {
      return { ...installed, missing: `npm can't fetch what they need: ${error.message}` }
    }
    await installed.remove()
    throw error
  }
}

async function install(folder: string, packages: string[]): Promise<void> {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify(PROJECT))
  await run('npm', [...INSTALL, ...packages], folder)
}
