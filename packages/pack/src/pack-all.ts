import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { stageCli } from './stage-cli.ts'
import { stageClient } from './stage-client.ts'
import { ROOT, run, runNpm } from './staging.ts'

const STAGES = { '@stowage/client': stageClient, stowage: stageCli }

/** The names of the packages that users install. */
export const PACKAGES = Object.keys(STAGES)

/** Packs the client and the CLI, or only those with these names, into the folder. Returns the paths of the tarballs. */
export async function packAll(folder: string, names = PACKAGES): Promise<string[]> {
  const unknown = names.filter((name) => !PACKAGES.includes(name))
  if (unknown.length > 0) throw new Error(`There is no package ${unknown.join(', ')}`)
  await mkdir(folder, { recursive: true })
  // Required: without the dashboard the service would still start, so a missing one would go unnoticed.
  await run(process.execPath, ['packages/dashboard/build.ts', '--required'], ROOT)
  const chosen = Object.entries(STAGES).filter(([name]) => names.includes(name))
  return Promise.all(chosen.map(([, stage]) => packStaged(folder, stage)))
}

async function packStaged(
  folder: string,
  stage: (staged: string) => Promise<void>,
): Promise<string> {
  const staged = await mkdtemp(join(tmpdir(), 'stowage-pack-'))
  try {
    await stage(staged)
    const destination = ['--pack-destination', resolve(folder)]
    const output = await runNpm(['pack', '--json', ...destination], staged)
    const [packed] = JSON.parse(output) as { filename: string }[]
    if (packed === undefined) throw new Error('npm packed nothing')
    return join(folder, packed.filename)
  } finally {
    await rm(staged, { recursive: true, force: true })
  }
}
