import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { ROOT, run } from '../src/staging.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

/** A copy of the repository without built files and without a package. */
async function aRepositoryWithout(t: TestContext, missing: string): Promise<string> {
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
  const unlinked = [missing, 'stowage', '@stowage', '.cache']
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
  const folder = await aRepositoryWithout(t, 'vite')
  await assert.rejects(run(process.execPath, ['packages/pack/src/main.ts'], folder), {
    message: /the dashboard is not built, because Vite is not installed/,
  })
  assert.deepEqual(await readdir(join(folder, 'dist-packages')), [])
})

const BUILD = ['packages/pack/src/build-cli.ts']

function runBuilt(folder: string): Promise<string> {
  return run(process.execPath, ['packages/cli/dist/stowage.js', 'help'], folder)
}

test('the program that npm start runs is built again after a change of the sources', async (t) => {
  const folder = await aRepositoryWithout(t, 'vite')
  await run(process.execPath, BUILD, folder)
  assert.doesNotMatch(await runBuilt(folder), /changed summary/)
  const source = join(folder, 'packages/cli/src/commands.ts')
  const text = await readFile(source, 'utf8')
  await writeFile(source, text.replace("summary: 'list assets'", "summary: 'changed summary'"))
  await run(process.execPath, BUILD, folder)
  assert.match(await runBuilt(folder), /changed summary/)
  assert.deepEqual((await readdir(join(folder, 'packages/cli'))).toSorted(), [
    '.gitignore',
    'README.md',
    'bin',
    'dist',
    'package.json',
    'src',
  ])
})

test('the program that npm start runs contains the third-party packages that every service uses', async (t) => {
  const folder = await aRepositoryWithout(t, 'vite')
  await run(process.execPath, BUILD, folder)
  for (const name of ['fastify', 'pino', 'lru-cache']) await rm(join(folder, 'node_modules', name))
  const { url } = await serve(t, folder, ['packages/cli/dist/stowage.js', 'serve'])
  assert.equal((await fetch(`${url()}/healthz`)).status, 200)
  assert.equal((await fetch(`${url()}/api/v1/assets`)).status, 200)
})

test('without esbuild, npm start runs the sources', async (t) => {
  const folder = await aRepositoryWithout(t, 'esbuild')
  await run(process.execPath, BUILD, folder)
  assert.match(await runBuilt(folder), /list assets/)
  assert.ok(!(await readdir(join(folder, 'packages/cli/dist'))).includes('main.js'))
})

test('npm run dev restarts the service after a change of the sources', async (t) => {
  const folder = await aRepositoryWithout(t, 'vite')
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const [, ...words] = scripts.dev.split(' ')
  const { starts } = await serve(t, folder, words)
  const before = starts()
  const source = join(folder, 'packages/server/src/http/routes/service.ts')
  await writeFile(source, `${await readFile(source, 'utf8')}\n`)
  await until('the service has restarted', () => starts() > before)
})

/** Starts the service in a folder, and waits until it has started. */
async function serve(t: TestContext, folder: string, words: string[]) {
  const settings = { STOWAGE_DATA: 'data', STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0' }
  const child = spawn(process.execPath, words, {
    cwd: folder,
    env: { ...process.env, ...settings },
  })
  const exited = once(child, 'exit')
  cleanUp(t, async () => {
    child.kill()
    await exited
  })
  let output = ''
  child.stdout.on('data', (more) => {
    output += more
  })
  const urls = () => output.match(/http:\/\/127\.0\.0\.1:\d+/g) ?? []
  await until('the service has started', () => urls().length > 0)
  return { url: () => urls()[0], starts: () => urls().length }
}
