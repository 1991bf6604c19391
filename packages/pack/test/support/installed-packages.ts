import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packAll } from '../../src/pack-all.ts'
import { run, runNpm } from '../../src/staging.ts'

/** The oldest version that the client supports, the one of this project, and the newest. The CLI needs 24 or later. */
export type NodeVersion = '20' | '24' | '26'
const OTHERS = ['20', '26'] as const

export interface InstalledPackages {
  /** Why the packages could not be installed, if the registry is unreachable. */
  missing?: string
  /** A project with both packages and the programs of the tests. */
  project: string
  /** The folder of the `node` executable of each version. */
  nodes: Record<NodeVersion, string>
  remove(): Promise<void>
}

const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund']
const PROJECT = { private: true, type: 'module' }
const UNREACHABLE = /code E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NOTCACHED)/

/** Packs the client and the CLI, and installs them and other Node versions into empty folders. */
export async function installPackages(): Promise<InstalledPackages> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-packed-'))
  const project = join(folder, 'project')
  const otherNode = (version: string) => join(folder, `node-${version}`)
  const nodeIn = (version: string) => join(otherNode(version), 'package/bin')
  const installed = {
    project,
    nodes: {
      '20': nodeIn('20'),
      '24': dirname(process.execPath),
      '26': nodeIn('26'),
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
  try {
    const tasks = [
      packAll(join(folder, 'tarballs')).then((tarballs) => install(project, tarballs)),
      ...OTHERS.map((version) => unpackNode(otherNode(version), version)),
    ]
    // Wait for all of them, so that none still writes while the folder is removed.
    await Promise.allSettled(tasks)
    await Promise.all(tasks)
    await cp(join(import.meta.dirname, '../programs'), project, { recursive: true })
    return installed
  } catch (error) {
    if (error instanceof Error && UNREACHABLE.test(error.message)) {
      return { ...installed, missing: `npm cannot download the packages: ${error.message}` }
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

/** Unpacks only the executable: installing the whole package takes twice as long. */
async function unpackNode(folder: string, version: string): Promise<void> {
  await mkdir(folder)
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}@${version}`
  const output = await runNpm(['pack', '--json', '--prefer-offline', name], folder)
  const [packed] = JSON.parse(output) as { filename: string }[]
  await run('tar', ['-xzf', packed?.filename ?? '', 'package/bin'], folder)
}
