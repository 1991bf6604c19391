import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { build } from 'esbuild'
import { ROOT, readManifest, runTsc } from '../src/staging.ts'
import { installPackages, type NodeVersion } from './support/installed-packages.ts'
import { npxServe, type Served, withNode } from './support/npx-serve.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

/** Shorter than the time for which the client retries an upload. */
const TIMEOUT_MS = 30_000

const { missing, project, nodes, remove } = await installPackages()
const services = new Map<NodeVersion, Promise<Served>>()
after(async () => {
  for (const service of services.values()) await (await service).stop()
  await remove()
})
if (missing !== undefined) {
  test('the packages install', (t) => skipUnlessCi(t, missing))
} else {
  for (const version of ['20', '24', '26'] as const) testClientOn(version)
  for (const version of ['24', '26'] as const) testCommandOn(version)
  testContents()
  for (const resolution of ['nodenext', 'bundler'] as const) testTypes(resolution)
  testTypesOfCommonJs()
}

function environmentOf(version: NodeVersion): NodeJS.ProcessEnv {
  const home = join(project, 'home')
  return { ...withNode(nodes[version]), XDG_STATE_HOME: home, XDG_CONFIG_HOME: home }
}

/** Returns the URL of the service on this version. Tests share it, because `npx` takes a long time to start. */
async function serveOn(version: '24' | '26'): Promise<string> {
  const data = join(project, `data-${version}`)
  const service = services.get(version) ?? npxServe(project, environmentOf(version), data)
  services.set(version, service)
  return (await service).url
}

async function runProgram(version: NodeVersion, ...words: string[]): Promise<string> {
  const options = { cwd: project, env: environmentOf(version), timeout: TIMEOUT_MS }
  const { stdout } = await promisify(execFile)('node', words, options)
  return stdout
}

function testClientOn(version: NodeVersion): void {
  test(`Node ${version}: the installed client uploads a file to npx stowage serve and downloads it again`, async (t) => {
    const url = await serveOn(version === '26' ? '26' : '24')
    const folder = await aFolder(t)
    const [file, copy] = [join(folder, 'pack.bin'), join(folder, 'copy.bin')]
    const content = randomBytes(3_500_000)
    await writeFile(file, content)
    const words = ['round-trip.js', url, file, copy, join(folder, 'state')]
    const output = await runProgram(version, ...words)
    const { node, names, code } = JSON.parse(output)
    assert.match(node, new RegExp(`^${version}\\.`))
    assert.deepEqual([names, code], [['pack.bin'], 'not_found'])
    assert.ok(content.equals(await readFile(copy)))
  })

  test(`Node ${version}: every entry of the client can be loaded, also with require()`, async () => {
    const names = Object.keys((await readManifest('@stowage/client')).exports)
    for (const program of ['load-client.js', 'load-client.cjs']) {
      assert.deepEqual(JSON.parse(await runProgram(version, program)), names)
    }
  })
}

function testCommandOn(version: '24' | '26'): void {
  const runCommand = (...words: string[]) =>
    runProgram(version, 'node_modules/stowage/dist/stowage.js', ...words)

  test(`Node ${version}: the installed CLI uploads and lists a file`, async () => {
    const url = ['--url', await serveOn(version)]
    await runCommand('upload', join(project, 'page.ts'), ...url)
    assert.match(await runCommand('ls', ...url), /page\.ts/)
  })

  test(`Node ${version}: the package contains the dashboard and the API reference`, async () => {
    const url = await serveOn(version)
    assert.equal((await fetch(`${url}/docs/reference.css`)).status, 200)
    if (!existsSync(join(ROOT, 'packages/dashboard/package.json'))) return
    const page = await (await fetch(url)).text()
    const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? assert.fail(page)
    assert.equal((await fetch(new URL(script, url))).status, 200)
  })

  test(`Node ${version}: all commands of the CLI and the packages that it loads on demand can be loaded`, async () => {
    const output = await runProgram(version, 'load-cli.js')
    const { commands, packages } = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '')
    assert.ok(commands > 20 && packages > 5, output)
    const { version: packed } = await readManifest('stowage')
    assert.equal(await runCommand('--version'), `${packed}\n`)
  })
}

function testContents(): void {
  test('the packages contain no TypeScript except declarations, and need no other package of the workspace', async () => {
    const files = await Array.fromAsync(
      glob('node_modules/{stowage,@stowage/client}/**/*.*', { cwd: project }),
    )
    assert.ok(files.length > 50)
    for (const file of files) {
      assert.doesNotMatch(file, /(?<!\.d)\.[cm]?ts$|\.test\./)
      const text = await readFile(join(project, file), 'utf8')
      if (/\.([cm]?js|c?ts)$/.test(file))
        assert.doesNotMatch(text, /(from |import\(|require\()["']@stowage\//, file)
      if (file.endsWith('package.json')) assert.doesNotMatch(text, /"@stowage\/(?!client")/, file)
      assert.ok(
        !text.includes(ROOT) && !text.includes(`${tmpdir()}/`),
        `${file} contains a path of this machine`,
      )
    }
  })

  test('every script has a source map that contains its sources', async () => {
    const own = 'node_modules/{stowage/dist/*.js,@stowage/client/dist/**/*.js}'
    const scripts = await Array.fromAsync(glob(own, { cwd: project }))
    const bundled = scripts.filter((script) => script.includes('stowage/dist/'))
    assert.ok(scripts.length > 20 && bundled.length >= 3, scripts.join(' '))
    for (const script of scripts) {
      const map = JSON.parse(await readFile(join(project, `${script}.map`), 'utf8'))
      assert.equal(map.sources.length, map.sourcesContent.length)
      for (const source of map.sources) assert.match(source, /^(packages|node_modules)\//, script)
    }
  })

  test('installing runs no scripts', async () => {
    const manifests = await Array.fromAsync(glob('node_modules/**/package.json', { cwd: project }))
    assert.ok(manifests.length > 50)
    for (const file of manifests) {
      const { scripts = {} } = JSON.parse(await readFile(join(project, file), 'utf8'))
      for (const event of ['preinstall', 'install', 'postinstall']) {
        assert.equal(scripts[event], undefined, `${file} has a script for ${event}`)
      }
    }
  })

  test('each manifest names the repository, the issue tracker and the required Node version', async () => {
    const needs = { stowage: '>=24', '@stowage/client': '>=20' }
    for (const [name, node] of Object.entries(needs)) {
      const file = join(project, 'node_modules', name, 'package.json')
      const { repository, bugs, homepage, keywords, engines } = JSON.parse(
        await readFile(file, 'utf8'),
      )
      assert.match(repository.url, /^git\+https:/)
      assert.ok(bugs.url && homepage && keywords.length > 5, name)
      assert.deepEqual(engines, { node })
    }
  })

  test('each package contains its README and the pages it links to, without broken links', async () => {
    for (const name of ['stowage', '@stowage/client']) {
      const folder = join(project, 'node_modules', name)
      assert.ok((await readFile(join(folder, 'README.md'), 'utf8')).startsWith(`# ${name}\n`))
      const pages = await Array.fromAsync(glob('{README.md,docs/*.md}', { cwd: folder }))
      assert.ok(pages.includes('docs/errors.md') && pages.includes('docs/client.md'))
      for (const page of pages) {
        const text = await readFile(join(folder, page), 'utf8')
        for (const [, target = ''] of text.matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)) {
          assert.ok(existsSync(join(folder, dirname(page), target)), `${page} refers to ${target}`)
        }
      }
    }
  })

  test('the installed client can be bundled for browsers', async () => {
    const { outputFiles } = await build({
      stdin: { contents: "export * from '@stowage/client'", resolveDir: project },
      bundle: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    })
    const code = outputFiles[0]?.text ?? ''
    assert.match(code, /XMLHttpRequest/)
    assert.doesNotMatch(code, /node:/)
  })
}

const COMMON_JS = `
import { createClient, isStowageError, type NodeClient } from '@stowage/client/node'
import { verifyWebhook } from '@stowage/client/webhooks'

const stowage: NodeClient = createClient({ baseUrl: 'https://files.example' })

export async function neededBytes(error: unknown, request: Request): Promise<number> {
  await verifyWebhook(request, 'whsec_')
  for await (const { bytes } of stowage.assets()) return bytes
  return isStowageError(error, 'storage_exceeded') ? error.facts.needed : 0
}

// @ts-expect-error a key has a scope
stowage.createKey({ name: 'shop' })
`

/** TypeScript refuses declarations of ESM in such a program, although Node can load the code. */
function testTypesOfCommonJs(): void {
  test('the installed types compile in a program in CommonJS', async () => {
    const compilerOptions = {
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2024',
      module: 'node16',
      lib: ['es2024', 'esnext.disposable'],
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    }
    await writeFile(join(project, 'common.cts'), COMMON_JS)
    const config = join(project, 'tsconfig.common.json')
    await writeFile(config, JSON.stringify({ compilerOptions, files: ['common.cts'] }))
    assert.equal(await runTsc(['-p', config], project), '')
  })
}

function testTypes(resolution: 'nodenext' | 'bundler'): void {
  /** A page does not have the globals of Node, and a program not those of a page. */
  const environments = {
    page: { lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
    program: { lib: ['es2024', 'esnext.disposable'], types: ['node'] },
  }
  for (const [name, { lib, types }] of Object.entries(environments)) {
    test(`the installed types compile in a ${name} with ${resolution} resolution`, async () => {
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        target: 'es2024',
        module: resolution === 'bundler' ? 'esnext' : 'nodenext',
        moduleResolution: resolution,
        lib,
        types,
        typeRoots: [join(ROOT, 'node_modules/@types')],
      }
      const config = join(project, `tsconfig.${name}.${resolution}.json`)
      const files = name === 'page' ? ['page.ts'] : ['program.ts', await importEntries()]
      await writeFile(config, JSON.stringify({ compilerOptions, files }))
      const output = await runTsc(['-p', config], project)
      assert.equal(output, '')
    })
  }
}

/** Writes a program that imports every entry of the client. */
async function importEntries(): Promise<string> {
  const { exports } = await readManifest('@stowage/client')
  const lines = Object.keys(exports).map((entry) => `import '@stowage/client${entry.slice(1)}'\n`)
  await writeFile(join(project, 'entries.ts'), lines.join(''))
  return 'entries.ts'
}
