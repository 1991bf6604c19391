import assert from 'node:assert/strict'
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { ROOT, run } from '../src/staging.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

/** A copy of the repository without built files and without Vite. */
async function aRepositoryWithoutVite(t: TestContext): Promise<string> {
  const folder = await aFolder(t)
  const isSource = (path: string) => !/\/(node_modules|dist|test|\.building-\w+)$/.test(path)
  for (const name of [
    'packages',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'LICENSE',
  ]) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true, filter: isSource })
  }
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@stowage'), { recursive: true })
  const unlinked = ['vite', 'stowage', '@stowage', '.cache']
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (!unlinked.includes(name))
      await symlink(join(ROOT, 'node_modules', name), join(modules, name))
  }
  await symlink(join(folder, 'packages/cli'), join(modules, 'stowage'))
  for (const name of ['client', 'dashboard', 'protocol', 'server']) {
    await symlink(join(folder, 'packages', name), join(modules, '@stowage', name))
  }
  return folder
}

test('packing fails if the dashboard cannot be built', async (t) => {
  const folder = await aRepositoryWithoutVite(t)
  await assert.rejects(run(process.execPath, ['packages/pack/src/main.ts'], folder), {
    message: /the dashboard is not built, because Vite is not installed/,
  })
  assert.deepEqual(await readdir(join(folder, 'dist-packages')), [])
})
