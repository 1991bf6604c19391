import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { folder } from '@stowage/dashboard'
import { buildDashboard } from '@stowage/testing/browser/build-dashboard'
import { LANGUAGES } from '../src/i18n/texts.ts'

const DASHBOARD = new URL('..', import.meta.url)

/** A workspace with the build script and none of its dependencies. */
async function anEmptyWorkspace(t: TestContext): Promise<string> {
  const workspace = await mkdtemp(join(tmpdir(), 'stowage-build-'))
  t.after(() => rm(workspace, { recursive: true }))
  const dashboard = join(workspace, 'packages/dashboard')
  await mkdir(dashboard, { recursive: true })
  for (const file of ['build.ts', 'package.json']) {
    await cp(new URL(file, DASHBOARD), join(dashboard, file))
  }
  await writeFile(join(workspace, 'package-lock.json'), '{}')
  return workspace
}

/** Installs a package named vite with this code. */
async function installVite(workspace: string, code: string): Promise<void> {
  const folder = join(workspace, 'node_modules/vite')
  await mkdir(folder, { recursive: true })
  const manifest = { name: 'vite', type: 'module', exports: './index.js' }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'index.js'), code)
}

function runBuild(
  workspace: string,
  ...options: string[]
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const script = join(workspace, 'packages/dashboard/build.ts')
    const child = execFile(process.execPath, [script, ...options], (_error, _stdout, output) =>
      resolve({ code: child.exitCode ?? -1, output }),
    )
  })
}

test('without Vite the build succeeds and reports that the dashboard is not built', async (t) => {
  const { code, output } = await runBuild(await anEmptyWorkspace(t))
  assert.equal(code, 0, output)
  assert.match(output, /the dashboard is not built, because Vite is not installed\. Run npm ci/)
})

test('without Vite a required build fails and reports that the dashboard is not built', async (t) => {
  const { code, output } = await runBuild(await anEmptyWorkspace(t), '--required')
  assert.equal(code, 1)
  assert.match(output, /^stowage: the dashboard is not built, because Vite is not installed\..*\n$/)
})

test('the build fails with the complete error if Vite cannot be loaded', async (t) => {
  const workspace = await anEmptyWorkspace(t)
  await installVite(workspace, `throw new Error('Cannot find native binding')`)
  const { code, output } = await runBuild(workspace)
  assert.equal(code, 1)
  assert.match(output, /Error: Cannot find native binding\n\s+at .*index\.js/)
})

test('the build fails and names the dependency if Vite lacks one', async (t) => {
  const workspace = await anEmptyWorkspace(t)
  await installVite(workspace, `import 'rolldown'`)
  const { code, output } = await runBuild(workspace)
  assert.equal(code, 1)
  assert.match(output, /Cannot find package 'rolldown'/)
})

const MAX_SCRIPT_BYTES = 295_000
const MAX_CATALOG_BYTES = 40_000

/** The size of each script after compression. */
async function scriptSizes(): Promise<{ name: string; size: number }[]> {
  await buildDashboard()
  const dist = fileURLToPath(folder)
  const names = globSync('app/*.js', { cwd: dist })
  return Promise.all(
    names.map(async (name) => ({ name, size: gzipSync(await readFile(join(dist, name))).length })),
  )
}

/** The texts of a language other than English, which is in the scripts that use it. */
const isCatalog = ({ name }: { name: string }) => /app\/(?:de|fr|es|pt|ja)-/.test(name)
/** The scripts that are loaded when they are needed, with the limit of each. */
const ON_DEMAND = new Map([
  ['orders', 40_000],
  ['mails', 20_000],
  ['asset-tools', 15_000],
  ['operator-page', 5_000],
])
const isNamed = (name: string) => (script: { name: string }) =>
  script.name.startsWith(`app/${name}-`)

test('the scripts of every visit together are smaller than 295 kB after compression, without other languages', async (t) => {
  const onDemand = [...ON_DEMAND.keys()].map(isNamed)
  const scripts = (await scriptSizes()).filter(
    (it) => !isCatalog(it) && !onDemand.some((isOne) => isOne(it)),
  )
  assert.ok(scripts.length > 1)
  const size = scripts.reduce((sum, script) => sum + script.size, 0)
  t.diagnostic(`${size} bytes`)
  assert.ok(size < MAX_SCRIPT_BYTES, `${size} bytes`)
})

for (const [name, max] of ON_DEMAND) {
  test(`${name} is one script, smaller than ${max / 1000} kB after compression`, async (t) => {
    const [script, ...others] = (await scriptSizes()).filter(isNamed(name))
    assert.ok(script !== undefined && others.length === 0)
    t.diagnostic(`${script.size} bytes`)
    assert.ok(script.size < max, `${script.size} bytes`)
  })
}

test('the texts of each other language are one script, smaller than 40 kB after compression', async (t) => {
  const catalogs = (await scriptSizes()).filter(isCatalog)
  assert.equal(catalogs.length, LANGUAGES.length - 1)
  for (const { name, size } of catalogs) {
    t.diagnostic(`${name}: ${size} bytes`)
    assert.ok(size < MAX_CATALOG_BYTES, `${name}: ${size} bytes`)
  }
})
