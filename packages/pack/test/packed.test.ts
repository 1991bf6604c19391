import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { aFolder } from '../../server/test/support/clean-up.ts'
import { skipUnlessCi } from '../../server/test/support/requirement.ts'
import { ROOT, readManifest } from '../src/manifest.ts'
import { run } from '../src/run.ts'
import { installPackages } from './support/installed-packages.ts'
import { npxServe, withNode } from './support/npx-serve.ts'

/** The client itself would go on trying for half an hour. */
const PATIENCE_MS = 30_000

const { missing, project, nodes, remove } = await installPackages()
after(remove)
if (missing !== undefined) {
  test('the packages install', (t) => skipUnlessCi(t, missing))
} else {
  for (const version of ['24', '26'] as const) testOnNode(version)
  testContents()
  for (const resolution of ['nodenext', 'bundler'] as const) testTypes(resolution)
}

function testOnNode(version: '24' | '26'): void {
  const home = join(project, 'home')
  const env = { ...withNode(nodes[version]), XDG_STATE_HOME: home, XDG_CONFIG_HOME: home }

  async function runProgram(...words: string[]): Promise<string> {
    const options = { cwd: project, env, timeout: PATIENCE_MS }
    const { stdout } = await promisify(execFile)('node', words, options)
    return stdout
  }
  const runCommand = (...words: string[]) =>
    runProgram('node_modules/stowage/dist/stowage.js', ...words)

  test(`Node ${version}: a file travels from the installed client to npx stowage serve and back`, async (t) => {
    const address = await npxServe(t, project, env)
    const folder = await aFolder(t)
    const [file, copy] = [join(folder, 'pack.bin'), join(folder, 'copy.bin')]
    const content = randomBytes(3_500_000)
    await writeFile(file, content)
    const said = await runProgram('there-and-back.js', address, file, copy, join(folder, 'state'))
    const { node, names, code } = JSON.parse(said)
    assert.match(node, new RegExp(`^${version}\\.`))
    assert.deepEqual([names, code], [['pack.bin'], 'not_found'])
    assert.ok(content.equals(await readFile(copy)))
  })

  test(`Node ${version}: the installed command stores and lists`, async (t) => {
    const url = ['--url', await npxServe(t, project, env)]
    await runCommand('upload', join(project, 'page.ts'), ...url)
    assert.match(await runCommand('ls', ...url), /page\.ts/)
  })

  test(`Node ${version}: the pages for people come along`, async (t) => {
    const address = await npxServe(t, project, env)
    assert.equal((await fetch(`${address}/docs/reference.css`)).status, 200)
    if (!existsSync(join(ROOT, 'packages/dashboard/package.json'))) return
    const page = await (await fetch(address)).text()
    const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? assert.fail(page)
    assert.equal((await fetch(new URL(script, address))).status, 200)
  })

  test(`Node ${version}: every entry, and what is loaded only when it is used, can be loaded`, async () => {
    const { entries, files } = JSON.parse(await runProgram('load-all.js'))
    assert.deepEqual(entries, Object.keys((await readManifest('@stowage/client')).exports))
    assert.ok(files > 20)
    const { version: packed } = await readManifest('stowage')
    assert.equal(await runCommand('--version'), `${packed}\n`)
  })
}

function testContents(): void {
  test('the packages hold JavaScript, and need nothing of the workspace', async () => {
    const files = await Array.fromAsync(
      glob('node_modules/{stowage,@stowage/client}/**/*.*', { cwd: project }),
    )
    assert.ok(files.length > 50)
    for (const file of files) {
      assert.doesNotMatch(file, /(?<!\.d)\.ts$|\.test\./)
      const text = await readFile(join(project, file), 'utf8')
      if (/\.(js|ts)$/.test(file)) assert.doesNotMatch(text, /(from |import\()["']@stowage\//, file)
      if (file.endsWith('package.json')) assert.doesNotMatch(text, /"@stowage\/(?!client")/, file)
    }
  })

  test('each package says what it is, without links that lead nowhere', async () => {
    for (const name of ['stowage', '@stowage/client']) {
      const readme = await readFile(join(project, 'node_modules', name, 'README.md'), 'utf8')
      assert.ok(readme.startsWith(`# ${name}\n`))
      assert.doesNotMatch(readme, /\]\(\.\.?\//)
    }
  })

  test('of the installed client a page’s bundler makes what browsers run', async () => {
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

function testTypes(resolution: 'nodenext' | 'bundler'): void {
  /** Neither knows of the other's globals. */
  const surroundings = {
    page: { lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
    program: { lib: ['es2024', 'esnext.disposable'], types: ['node'] },
  }
  for (const [name, { lib, types }] of Object.entries(surroundings)) {
    test(`the installed types are whole for a ${name} with ${resolution} resolution`, async () => {
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
      const said = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', config], project)
      assert.equal(said, '')
    })
  }
}

/** A program that imports every entry of the client, and does nothing with it. */
async function importEntries(): Promise<string> {
  const { exports } = await readManifest('@stowage/client')
  const lines = Object.keys(exports).map((entry) => `import '@stowage/client${entry.slice(1)}'\n`)
  await writeFile(join(project, 'entries.ts'), lines.join(''))
  return 'entries.ts'
}
