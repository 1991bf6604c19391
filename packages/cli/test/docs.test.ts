import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readConfig } from '@stowage/server/src/config/config'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { ensureInstalled, missingForCurl, skipUnlessCi } from '@stowage/testing/machine/programs'
import { ADMIN_KEY, aKeyedService } from '@stowage/testing/service/accounts'
import { aService } from '@stowage/testing/service/service'
import { COMMAND, stowage } from '@stowage/testing/service/stowage-command'
import { API, someBytes } from '@stowage/testing/service/upload'
import postgres from 'postgres'

/* Runs in its own process: it takes long, so it runs beside the others. */

const run = promisify(execFile)
const { emptyDatabase } = await aPostgresServer()
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PAGES = ['README.md', 'docs/*.md', 'packages/{client,cli}/README.md', 'examples/README.md']

interface Snippet {
  page: string
  language: string
  code: string
}

const SNIPPETS: Snippet[] = globSync(PAGES, { cwd: ROOT }).flatMap((native) => {
  const page = native.replaceAll(sep, '/')
  const text = readFileSync(join(ROOT, page), 'utf8')
  const found = text.matchAll(/^```(\w*)\n(.*?)^```$/gms)
  return [...found].map(([, language = '', code = '']) => ({ page, language, code }))
})

/** What these show does not run. */
const NO_PROGRAMS = ['', 'http', 'mermaid', 'text']

/** The snippets that another test runs, by their page and how they begin. */
const ELSEWHERE: { page: string; begins?: RegExp; test: string }[] = [
  { page: 'README.md', begins: /^API=/, test: 'packages/client/test/readme.test.ts' },
  { page: 'README.md', begins: /^# Create a link/, test: 'packages/client/test/readme.test.ts' },
  { page: 'README.md', begins: /^import/, test: 'packages/client/test/readme.test.ts' },
  { page: 'README.md', begins: /^npm install/, test: 'packages/pack/test/packed.test.ts' },
  {
    page: 'docs/production.md',
    begins: /^\{/,
    test: 'packages/server/src/storage/s3/policy.test.ts',
  },
  {
    page: 'docs/webhooks.md',
    begins: /^import|^function/,
    test: 'packages/server/test/http/webhooks/verify-examples.test.ts',
  },
  {
    page: 'docs/delivery.md',
    begins: /^(export|import|function|await|<h1)/,
    test: 'packages/client/test/delivery-guide.test.ts',
  },
  { page: 'docs/mail.md', test: 'packages/server/test/http/mails/texts.test.ts' },
  { page: 'docs/browser.md', test: 'packages/client/test/browser-guide.test.ts' },
  { page: 'docs/client-api.md', test: 'packages/pack/src/client-api.test.ts' },
  { page: 'packages/cli/README.md', test: 'packages/pack/test/packed.test.ts' },
  { page: 'examples/README.md', test: 'packages/client/test/examples.test.ts' },
]

/**
 * The snippets that no test can run on a machine without a network, containers and systemd's journal, and backups made by
 * other programs, which the page says it was tried with.
 */
const NOWHERE = /^(git clone|npm ci|docker|useradd|journalctl|pg_basebackup|litestream|rclone)/m

/** The snippets that a test of this file has taken. */
const taken = new Set<Snippet>()

/** Returns the only snippet of the page that matches. */
function snippet(page: string, language: string, part: RegExp): string {
  const found = SNIPPETS.filter((one) => one.page === page && one.language === language)
  const matching = found.filter(({ code }) => part.test(code))
  assert.equal(matching.length, 1, `${page} has ${matching.length} snippets with ${part}`)
  for (const one of matching) taken.add(one)
  return matching[0]?.code ?? ''
}

/** A service with an account `default`, whose URL and key a script finds in its environment. */
async function aShell(t: TestContext, { baseUrl }: { baseUrl: string }) {
  const folder = await aFolder(t)
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const program = `exec '${process.execPath}' '${COMMAND}' "$@"\n`
  await writeFile(join(bin, 'stowage'), `#!/bin/sh\n${program}`, { mode: 0o755 })
  // Only `npx stowage …` is used.
  await writeFile(join(bin, 'npx'), `#!/bin/sh\nshift\n${program}`, { mode: 0o755 })
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    LC_ALL: 'C.UTF-8',
    STOWAGE_URL: baseUrl,
    KEY: ADMIN_KEY,
  }
  return {
    folder,
    /** The input is closed, so that a command that asks for more ends. */
    async sh(script: string, input = ''): Promise<string> {
      const running = run('sh', ['-euc', script], { cwd: folder, env, timeout: 120_000 })
      running.child.stdin?.end(input)
      return (await running).stdout
    },
  }
}

test('the commands in the README work in a folder with these files', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_CHECKSUMS: 'on' })
  const { folder, sh } = await aShell(t, service)
  const products = [{ product_id: 1, variant_id: 1, name: 'Course', sku: 'COURSE-4K' }]
  const key = { Authorization: `Bearer ${ADMIN_KEY}` }
  await service.call('PUT', `${API}/products`, { products }, key)
  await mkdir(join(folder, 'course'))
  await writeFile(join(folder, 'course/intro.mp4'), someBytes(2000))
  await mkdir(join(folder, 'week 1'))
  await writeFile(join(folder, 'week 1/lesson.txt'), 'Lesson')
  for (const name of ['book.pdf', 'book-fixed.pdf', 'old-pack.zip', 'pack.zip']) {
    await writeFile(join(folder, name), someBytes(1000 + name.length))
  }
  await writeFile(join(folder, 'products.csv'), 'product_id,variant_id,name\n2,2,Presets\n')
  await sh('STOWAGE_API_KEY=$KEY stowage upload book.pdf old-pack.zip pack.zip "week 1"')
  const commands = snippet('README.md', 'sh', /^npx stowage login/)
  const script = commands
    .replace('https://files.example.com', service.baseUrl)
    // On a terminal, it asks.
    .replace('rm old-pack.zip', 'rm --yes old-pack.zip')
  const output = await sh(`unset STOWAGE_URL\n${script}`, ADMIN_KEY)
  assert.match(output, /intro\.mp4/)
})

test('the commands that use a webhook work with its ID', async (t) => {
  const service = await aService(t)
  const { sh } = await aShell(t, service)
  const [add = '', ...rest] = snippet('docs/webhooks.md', 'sh', /webhooks add/).split('\n')
  assert.match(await sh(add), /whsec_/)
  const { id } = (await service.call('GET', `${API}/webhooks`)).body.data[0]
  const ping = rest.join('\n').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, id)
  // Nothing listens there, so the ping fails.
  await assert.rejects(sh(ping.replace(/$/m, ' --json')), { stdout: new RegExp(id.slice(0, 8)) })
})

test('the curl commands of docs/events.md return events, and a stream of them', async (t) => {
  const missing = await missingForCurl()
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const service = await aKeyedService(t)
  const { sh } = await aShell(t, service)
  const page = snippet('docs/events.md', 'sh', /after=/)
  assert.match(await sh(page.replace(/after=\d+&/, '')), /"type":"key\.created"|"data":\[/)
  const search = snippet('docs/events.md', 'sh', /order=desc/)
  const curl = search.split('\n')[0] ?? ''
  assert.match(await sh(curl), /"data":\[\]/)
  const stream = snippet('docs/events.md', 'sh', /event-stream/)
  await assert.rejects(sh(stream.replace('curl', 'curl --silent --max-time 2')), {
    code: 28,
    stdout: /^retry: \d+\nid: \d+\n/,
  })
})

test('the curl commands of docs/delivery.md create an order and download its file', async (t) => {
  const missing = await missingForCurl()
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const service = await aKeyedService(t)
  const { folder, sh } = await aShell(t, service)
  const products = [{ product_id: 632910392, variant_id: 1, name: 'Pack' }]
  const key = { Authorization: `Bearer ${ADMIN_KEY}` }
  await service.call('PUT', `${API}/products`, { products }, key)
  const order = snippet('docs/delivery.md', 'sh', /v1\/orders/)
  const script = order.replace('http://127.0.0.1:4000', service.baseUrl)
  assert.match(await sh(`STOWAGE_API_KEY=$KEY\n${script}`), /"reference":"5123"/)
  await writeFile(join(folder, 'sold.zip'), someBytes(1000))
  await sh('STOWAGE_API_KEY=$KEY stowage upload sold.zip --attach 632910392')
  const [asset] = (await service.call('GET', `${API}/assets`, undefined, key)).body.data
  const path = `${API}/orders/5123/downloads`
  const { body } = await service.call('POST', path, { asset: asset.id }, key)
  const download = snippet('docs/delivery.md', 'sh', /-o pack\.zip/)
  await sh(download.replace(/https:.*?(?=')/, body.url ?? body.data.url))
  assert.deepEqual(await readFile(join(folder, 'pack.zip')), someBytes(1000))
})

test('the commands of docs/delivery.md share files, and look after an order', async (t) => {
  const service = await aKeyedService(t)
  const { folder, sh } = await aShell(t, service)
  const key = { Authorization: `Bearer ${ADMIN_KEY}` }
  const products = [{ product_id: 1, variant_id: 1, name: 'Pack', sku: 'PACK-WAV' }]
  await service.call('PUT', `${API}/products`, { products }, key)
  for (const name of ['sample-pack.zip', 'score.pdf']) {
    await writeFile(join(folder, name), someBytes(1000 + name.length))
  }
  const commands = snippet('docs/delivery.md', 'sh', /^stowage share/)
  const upload = 'stowage upload score.pdf && stowage upload sample-pack.zip --attach PACK-WAV'
  const share = snippet('README.md', 'sh', /^npx stowage share/)
  const output = await sh(`export STOWAGE_API_KEY=$KEY\n${upload}\n${commands}\n${share}`)
  assert.equal(output.match(/^http.*\/d\/[\w-]{32}$/gm)?.length, 4, output)
  assert.match(output, /^ {2}products +3 × Pack/m)
  assert.match(output, /\(1002\): Revoked/)
})

test('the commands that replace a file work after those that uploaded it', async (t) => {
  const missing = await missingForCurl()
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const service = await aService(t)
  const { sh } = await aShell(t, service)
  const upload = snippet('README.md', 'sh', /^API=/)
  const steps = /^# 2\..*?(?=^# Then)/ms.exec(upload)?.[0] ?? ''
  const replace = snippet('README.md', 'sh', /^curl -s \$API\/assets\/\$ID\/signed/)
  assert.match(replace, /^# Upload the parts.*$/m)
  const script = `${upload}\n${replace.replace(/^# Upload the parts.*$/m, steps)}`
  const strict = script.replaceAll(/\bcurl( -s)?/g, 'curl -sS --fail-with-body')
  const output = await sh(strict.replace('http://127.0.0.1:4000', service.baseUrl))
  assert.match(output, /"version":2.*"version":1/s)
})

/** The names that the code of the client's pages expects. */
const GIVEN = `
import { createClient, isStowageError } from '@stowage/client/node'
import { writeFile } from 'node:fs/promises'
const stowage = createClient({ baseUrl: process.env.STOWAGE_URL, apiKey: process.env.KEY, stateFolder: 'state' })
for (const product_id of [1, 632910392]) {
  await stowage.putProducts([{ product_id, variant_id: 1, name: 'Dusty drums' }])
}
await writeFile('course.zip', 'course')
const file = 'course.zip'
const { id } = await stowage.upload('course.zip', { resume: false })
const [first, second] = [id, (await stowage.store({ filename: 'a', url: 'https://example.com' })).id]
await stowage.store({ filename: 'b', url: 'https://example.com', path: 'course' })
const lastId = (await stowage.listEvents()).data[0].id
const updateShop = async () => {}
const save = async () => process.exit(0)
`

test('the code of docs/client.md, docs/events.md and the README of the client runs', async (t) => {
  const service = await aKeyedService(t)
  const { folder } = await aShell(t, service)
  await mkdir(join(folder, 'node_modules'))
  await symlink(join(ROOT, 'node_modules/@stowage'), join(folder, 'node_modules/@stowage'))
  const pages = ['docs/client.md', 'docs/events.md', 'packages/client/README.md']
  const examples = SNIPPETS.filter(
    ({ page, language, code }) =>
      pages.includes(page) && /^[jt]s$/.test(language) && !/verifyWebhook|AwsS3/.test(code),
  )
  assert.ok(examples.length >= 8)
  for (const example of examples) {
    taken.add(example)
    const { page, code } = example
    // These start with the client itself, and with the file of a page.
    const isWhole = /^import \{ createClient/.test(code)
    const start = isWhole
      ? GIVEN.replace(
          'import { createClient, isStowageError }',
          'import { createClient as create }',
        )
          .replace('stowage = createClient', 'given = create')
          .replaceAll('stowage.', 'given.') +
        'const show = () => {}\nconst apiKey = process.env.KEY\n'
      : GIVEN
    const here = code
      .replace("'@stowage/client' // in Node: ", '')
      .replace('https://files.example', service.baseUrl)
      .replace(/await file\.bytes\(\)/, `Buffer.from('product_id,variant_id,name\\n1,1,Pack\\n')`)
      // A loop over events does not end by itself.
      .replace(
        /console\.log\(event\.type, event\.data\)/,
        '{ console.log(event.type); process.exit(0) }',
      )
    const program = join(folder, 'program.mts')
    await writeFile(program, start + here)
    const env = { ...process.env, STOWAGE_URL: service.baseUrl, KEY: ADMIN_KEY }
    await run(process.execPath, [program], { cwd: folder, env, timeout: 60_000 }).catch((error) => {
      assert.fail(`${page}: ${error.stderr}\n${code}`)
    })
  }
})

test('webhooks are verified, and Uppy gets its options, by the code of the README of the client', async () => {
  const { verifyWebhook } = await import('@stowage/client/webhooks')
  const verify = snippet('packages/client/README.md', 'ts', /verifyWebhook/)
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`
  const body = verify.replace(/^import.*$/m, '').replace('whsec_…', secret)
  const given = { headers: {}, body: '{}' }
  const check = new Function('verifyWebhook', 'request', `return (async () => {${body}})()`)
  await assert.rejects(check(verifyWebhook, given), { code: 'bad_signature' })
  const { stowage } = await import('@stowage/client/uppy')
  const uppy = snippet('packages/client/README.md', 'ts', /AwsS3/).replace(/^import.*$/m, '')
  const used: unknown[] = []
  new Function('uppy', 'AwsS3', 'stowage', 'baseUrl', 'apiKey', uppy)(
    { use: (...words: unknown[]) => used.push(...words) },
    'AwsS3',
    stowage,
    'https://files.example',
    'key',
  )
  assert.equal(used.length, 2)
})

test('the settings in docs/production.md are valid', () => {
  for (const part of [/^STOWAGE_HOST/, /^STOWAGE_AUTH/]) {
    const lines = snippet('docs/production.md', 'sh', part).trim().split('\n')
    const given = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
    const settings = JSON.parse(JSON.stringify(given).replaceAll('…', 'x'.repeat(40)))
    assert.equal(readConfig(settings).baseUrl, 'https://files.example.com')
  }
})

test('nginx accepts the configurations in docs/production.md', async (t) => {
  const missing = (await ensureInstalled('nginx')) ?? (await ensureInstalled('openssl'))
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const folder = await aFolder(t)
  const [certificate, key] = [join(folder, 'a.pem'), join(folder, 'a.key')]
  const subject = ['-subj', '/CN=files.example.com', '-out', certificate, '-keyout', key]
  await run('openssl', ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', ...subject])
  for (const part of [/^upstream/, /127\.0\.0\.1:4001/]) {
    const servers = snippet('docs/production.md', 'nginx', part)
      .replaceAll(/ssl_certificate .*;/g, `ssl_certificate ${certificate};`)
      .replaceAll(/ssl_certificate_key .*;/g, `ssl_certificate_key ${key};`)
    const file = join(folder, 'nginx.conf')
    const main = `pid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\n`
    await writeFile(file, `${main}http {\naccess_log off;\n${servers}}\n`)
    await run('nginx', ['-t', '-p', folder, '-c', file])
  }
})

test('systemd accepts the units in docs/production.md', async (t) => {
  const hasSystemd = await run('systemd-analyze', ['--version']).catch(() => undefined)
  if (hasSystemd === undefined) return t.skip('systemd-analyze is missing: install systemd')
  const folder = await aFolder(t)
  for (const part of [/packages\/cli/, /node_modules\/stowage/]) {
    const unit = snippet('docs/production.md', 'ini', part)
    const file = join(folder, 'stowage.service')
    await writeFile(file, unit.replace(/ExecStart=\S+/, `ExecStart=${process.execPath}`))
    await run('systemd-analyze', ['verify', '--man=no', file])
  }
})

test('the database of docs/production.md can be created', async (t) => {
  const sql = postgres(await emptyDatabase(t), { max: 1 })
  const commands = snippet('docs/production.md', 'sql', /^create role/)
  const name = `docs_${process.pid}`
  const own = commands.replaceAll('stowage', name).replace('…', 'secret')
  for (const command of own.split('\n').filter((line) => line !== '')) await sql.unsafe(command)
  await sql.unsafe(`drop database ${name}`)
  await sql.unsafe(`drop role ${name}`)
  await sql.end()
})

test('PostgreSQL knows the settings of docs/production.md', async (t) => {
  const sql = postgres(await emptyDatabase(t), { max: 1 })
  const archive = snippet('docs/production.md', 'ini', /^archive_mode/m)
  const restore = snippet('docs/production.md', 'sh', /^restore_command/m)
  const names = [...`${archive}${restore}`.matchAll(/^(\w+) = /gm)].map(([, name = '']) => name)
  const known = await sql<
    { name: string }[]
  >`select name from pg_settings where name in ${sql(names)}`
  assert.deepEqual(known.map(({ name }) => name).sort(), names.sort())
  await sql.end()
})

test('JSON in the documentation is valid', () => {
  for (const one of SNIPPETS.filter(({ language }) => language === 'json')) {
    JSON.parse(one.code)
    taken.add(one)
  }
})

/** The commands of the CLI in a script, with their options: `stowage keys add --scope write`. */
function commandsIn(code: string): string[] {
  const lines = code.replaceAll('\\\n', ' ').split('\n')
  return lines.flatMap((line) => /^(?:sudo .*)?(?:npx )?stowage (.*)$/.exec(line)?.[1] ?? [])
}

test('every command of the CLI in the documentation exists and has these options', async () => {
  const helps = new Map<string, string>()
  for (const one of SNIPPETS.filter(({ language }) => language === 'sh')) {
    for (const command of commandsIn(one.code)) {
      const name = command.split(' ')[0] ?? ''
      const help = helps.get(name) ?? (await helpOf(name))
      helps.set(name, help)
      for (const [option] of command.split('#')[0]?.matchAll(/--[a-z-]+/g) ?? []) {
        assert.ok(help.includes(option), `${one.page}: stowage ${command}`)
      }
      taken.add(one)
    }
  }
})

async function helpOf(command: string): Promise<string> {
  const { code, stdout, stderr } = await stowage({}, command, '--help')
  assert.equal(code, 0, stderr)
  return stdout
}

test('every snippet in the documentation is run by a test', () => {
  for (const one of SNIPPETS) {
    const { page, language, code } = one
    if (NO_PROGRAMS.includes(language) || taken.has(one)) continue
    const other = ELSEWHERE.find(
      (each) => each.page === page && (each.begins === undefined || each.begins.test(code)),
    )
    if (other !== undefined) assert.ok(readFileSync(join(ROOT, other.test), 'utf8').length > 0)
    else assert.match(code, NOWHERE, `${page} has a snippet that no test runs:\n${code}`)
  }
})
