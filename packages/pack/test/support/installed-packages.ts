import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packAll } from '../../src/pack-all.ts'
import { runNpm } from '../../src/run.ts'

/** The client runs on all of them, the command from 24 on. */
export type NodeVersion = '20' | '22' | '24' | '26'
const OTHERS = ['20', '22', '26'] as const

export interface InstalledPackages {
  /** Why they could not be installed, through no fault of theirs. */
  missing?: string
  /** A project that has both packages and nothing else of ours, but the tests' programs. */
  project: string
  /** The folder of each version's `node`. */
  nodes: Record<NodeVersion, string>
  remove(): Promise<void>
}

const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund']
/** Node's own package fetches its program as it is installed. Nothing else may run anything. */
const PROJECT = { private: true, type: 'module', allowScripts: { node: true } }
const UNREACHABLE = /code E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NOTCACHED)/

/** Packs the client and the command and installs them into an empty folder, and other Nodes into others. */
export async function installPackages(): Promise<InstalledPackages> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-packed-'))
  const project = join(folder, 'project')
  const otherNode = (version: string) => join(folder, `node-${version}`)
  const nodeIn = (version: string) => join(otherNode(version), 'node_modules/node/bin')
  const installed = {
    project,
    nodes: {
      '20': nodeIn('20'),
      '22': nodeIn('22'),
      '24': dirname(process.execPath),
      '26': nodeIn('26'),
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
  try {
    const works = [
      packAll(join(folder, 'tarballs')).then((tarballs) => install(project, tarballs)),
      ...OTHERS.map((version) => install(otherNode(version), [`node@${version}`])),
    ]
    // All to their end, so that none writes where all is removed.
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
  await runNpm([...INSTALL, ...packages], folder)
}
