import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { anEmbeddedService, aService } from '@stowage/testing/service/service'
import {
  newerStowage,
  type Outcome,
  stowage as stowageWith,
} from '@stowage/testing/service/stowage-command'
import postgres from 'postgres'
import { COMMANDS } from '../src/commands.ts'

/** Runs `stowage` on a data folder. */
function stowage(folder: string, ...cli: string[]): Promise<Outcome> {
  return stowageWith({ STOWAGE_DATA: folder }, ...cli)
}

test('a key that was added with the CLI works in a running service until it is revoked', async (t) => {
  const service = await aService(t, { STOWAGE_AUTH: 'keys' })
  const { folder } = service
  assert.equal((await stowage(folder, 'accounts', 'add', 'presets', '--storage', '5GB')).code, 0)
  const add = ['keys', 'add', '--name', 'shop', '--scope', 'read', '--account', 'presets']
  const added = await stowage(folder, ...add, '--json')
  assert.equal(added.code, 0, added.stderr)
  const { id, secret } = JSON.parse(added.stdout)
  const getAccount = () =>
    service.call('GET', '/api/v1/account', undefined, { Authorization: `Bearer ${secret}` })
  const account = await getAccount()
  assert.equal(account.status, 200)
  assert.deepEqual([account.body.data.name, account.body.data.available], ['presets', 5e9])

  const set = await stowage(
    folder,
    'accounts',
    'set',
    'presets',
    '--storage',
    '7GB',
    '--plan',
    'big',
  )
  assert.match(set.stdout, /presets +big +7 GB/)
  assert.deepEqual((await getAccount()).body.data.plan, { name: 'big', storage: 7e9, assets: null })

  const limited = await stowage(folder, 'accounts', 'set', 'presets', '--assets', '5000')
  assert.match(limited.stdout, /0 of 5000/)
  assert.deepEqual((await getAccount()).body.data.plan, { name: 'big', storage: 7e9, assets: 5000 })
  const unlimited = ['accounts', 'set', 'presets', '--assets', 'unlimited', '--json']
  assert.equal(JSON.parse((await stowage(folder, ...unlimited)).stdout).max_assets, null)
  for (const wrong of ['', '-1', '1.5', '5k', '9007199254740993', 'none']) {
    const { code, stderr } = await stowage(
      folder,
      'accounts',
      'set',
      'presets',
      `--assets=${wrong}`,
    )
    assert.deepEqual([code, /must be a number/.test(stderr)], [2, true], `${wrong}: ${stderr}`)
  }

  const revoked = await stowage(folder, 'keys', 'revoke', id, '--account', 'presets')
  assert.deepEqual([revoked.code, revoked.stdout], [0, `${id} revoked\n`])
  assert.match(revoked.stderr, /upload tokens that this key has created no longer work/)
  assert.equal((await getAccount()).status, 401)
})

/** A data folder in which a service has run. */
async function aUsedFolder(t: TestContext): Promise<string> {
  const folder = await aFolder(t)
  await (await anEmbeddedService(t, { STOWAGE_DATA: folder })).close()
  return folder
}

test('commands show which database they use, and never create one', async (t) => {
  const folder = join(await aFolder(t), 'data')
  for (const cli of [
    ['keys', 'add', '--name', 'first', '--scope', 'manage'],
    ['accounts', 'ls'],
    ['adopt', '--yes'],
  ]) {
    const { code, stdout, stderr } = await stowage(folder, ...cli)
    assert.deepEqual([code, stdout], [1, ''], cli.join(' '))
    assert.ok(stderr.startsWith(`Database: SQLite in ${folder}\n`), stderr)
    assert.match(stderr, /There is no Stowage database.+Set STOWAGE_DATA.+stowage serve\n$/s)
  }
  const examined = await stowage(folder, 'doctor')
  assert.match(examined.stderr, /^Database: SQLite in /)
  assert.match(examined.stdout, /set STOWAGE_DATA to its data folder/)
  assert.equal(existsSync(folder), false)
  await mkdir(folder)
  await writeFile(join(folder, 'stowage.db'), '')
  assert.equal((await stowage(folder, 'keys', 'ls')).code, 1)
  assert.deepEqual(await readdir(folder), ['stowage.db'])
})

test('an account is suspended, resumed and renamed, and lists show its state', async (t) => {
  const folder = await aUsedFolder(t)
  await stowage(folder, 'accounts', 'add', 'presets')
  const suspended = await stowage(folder, 'accounts', 'suspend', 'presets', '--json')
  const [{ state, suspended_at }] = [JSON.parse(suspended.stdout)]
  assert.equal(state, 'suspended')
  assert.ok(Date.parse(suspended_at))
  assert.match((await stowage(folder, 'accounts', 'ls')).stdout, /presets +suspended/)
  const renamed = await stowage(folder, 'accounts', 'rename', 'presets', 'samples')
  assert.match(renamed.stdout, /samples +suspended/)
  const resumed = await stowage(folder, 'accounts', 'resume', 'samples', '--json')
  assert.equal(JSON.parse(resumed.stdout).state, 'active')
  const deleted = await stowage(folder, 'accounts', 'delete', 'samples', '--in', '2d', '--yes')
  assert.match(deleted.stdout, /samples +deleted/)
  assert.match(deleted.stderr, /accounts resume samples restores it/)
  await stowage(folder, 'accounts', 'resume', 'samples')
  assert.match((await stowage(folder, 'accounts', 'ls', '--json')).stdout, /"state": "active"/)
  assert.equal((await stowage(folder, 'accounts', 'delete', 'default', '--yes')).code, 1)
  assert.equal((await stowage(folder, 'accounts', 'rename', 'default', 'x')).code, 1)
  assert.equal((await stowage(folder, 'accounts', 'suspend', 'presets')).code, 1)
})

test('keys can be added while no service runs, and only the secret is written to standard output', async (t) => {
  const folder = await aUsedFolder(t)
  const added = await stowage(folder, 'keys', 'add', '--name', 'first', '--scope', 'manage')
  assert.match(added.stdout, /^stow_[0-9A-Za-z]{49}\n$/)
  assert.match(added.stderr, /shown only this time/)
  const listed = await stowage(folder, 'keys', 'list')
  assert.match(listed.stdout, /first +manage +stow_…\w{4} /)
  assert.ok(!listed.stdout.includes(added.stdout.trim()))
  const accounts = JSON.parse((await stowage(folder, 'accounts', 'list', '--json')).stdout)
  assert.deepEqual(
    accounts.map(({ name, storage }: { name: string; storage: number }) => [name, storage]),
    [['default', 1e12]],
  )
})

test('list is an alias of ls, also after products, keys and accounts', async (t) => {
  const service = await aService(t)
  const run = (...cli: string[]) =>
    stowageWith({ STOWAGE_DATA: service.folder, STOWAGE_URL: service.baseUrl }, ...cli)
  for (const command of [[], ['products'], ['keys'], ['accounts']]) {
    const [ls, list] = await Promise.all([
      run(...command, 'ls', '--json'),
      run(...command, 'list', '--json'),
    ])
    assert.equal(ls.code, 0, ls.stderr)
    assert.ok(Array.isArray(JSON.parse(ls.stdout)), ls.stdout)
    assert.deepEqual(list, ls, command.join(' '))
  }
  assert.equal((await run('list', '--help')).stdout, (await run('ls', '--help')).stdout)
})

test('the last manage key can be revoked with the CLI', async (t) => {
  const folder = await aUsedFolder(t)
  const added = await stowage(folder, 'keys', 'add', '--name', 'a', '--scope', 'manage', '--json')
  assert.equal((await stowage(folder, 'keys', 'revoke', JSON.parse(added.stdout).id)).code, 0)
})

test('a command that fails exits with code 1 and a message', async (t) => {
  const folder = await aUsedFolder(t)
  await stowage(folder, 'accounts', 'add', 'presets')
  const expected: [string[], RegExp][] = [
    [['accounts', 'add', 'presets'], /already/],
    [['accounts', 'add', 'Bad/Name'], /a-z/],
    [['accounts', 'set', 'nobody', '--plan', 'x'], /no account nobody/],
    [['keys', 'list', '--account', 'nobody'], /no account nobody/],
    [['keys', 'revoke', 'nothing'], /no key with this ID/],
    [['keys', 'add', '--name', ' ', '--scope', 'read'], /what the key is for/],
  ]
  for (const [cli, sentence] of expected) {
    const { code, stdout, stderr } = await stowage(folder, ...cli)
    assert.deepEqual([code, stdout], [1, ''], cli.join(' '))
    assert.match(stderr, sentence)
    assert.doesNotMatch(stderr, /^ +at /m)
  }
})

test('a wrong command line exits with code 2, the reason and a hint to --help', async (t) => {
  const folder = await aFolder(t)
  const expected: [string[], RegExp][] = [
    [[], /No command given/],
    [['nonsense'], /Unknown command nonsense\.\n/],
    [['uplaod'], /Unknown command uplaod\. Did you mean upload\?/],
    [['info'], /Unknown command info\. Did you mean show\?/],
    [['constructor'], /Unknown command constructor/],
    [['accounts'], /ls, add, set, suspend/],
    [['accounts', 'add'], /No name given/],
    [['accounts', 'add', 'a', 'b'], /Expected one name/],
    [['accounts', 'set', 'a'], /Nothing to set/],
    [['accounts', 'add', 'a', '--storage', 'lots'], /a size such as/],
    [['accounts', 'add', 'a', '--colour', 'red'], /--colour/],
    [['keys', 'add', '--name', 'x'], /--scope must be/],
    [['keys', 'add', '--name', 'x', '--scope', 'all'], /--scope must be/],
    [['accounts', 'delete', 'default'], /--yes/],
    [['accounts', 'delete', 'x', '--now', '--in', '1d', '--yes'], /either --in or --now/],
    [['accounts', 'delete', 'x', '--in', 'soon', '--yes'], /--in soon/],
    [['keys', 'add', '--scope', 'read'], /--name/],
    [['keys', 'add', '--name', 'x', '--scope', 'read', '--expires', 'soon'], /--expires soon/],
    [['keys', 'add', '--name', 'x', '--scope', 'read', '--expires', '2020-01-01'], /keys revoke/],
    [['serve', 'now'], /Unexpected argument: now/],
    [['doctor', '--mend'], /--mend/],
    [['doctor', '--repiar'], /Unknown option --repiar\. Did you mean --repair\?/],
    [['move'], /--from/],
    [['move', 'x', '--from', 'y'], /Unexpected argument: x/],
  ]
  for (const [cli, problem] of expected) {
    const { code, stdout, stderr } = await stowage(folder, ...cli)
    assert.deepEqual([code, stdout], [2, ''], cli.join(' '))
    assert.match(stderr, problem)
    assert.match(stderr, /--help/)
    if (cli.length > 0) assert.equal(stderr.trim().split('\n').length, 2, stderr)
  }
})

test('every help text has examples and lines of at most 100 columns, and --version prints the version', async (t) => {
  const folder = await aFolder(t)
  assert.match((await stowage(folder, '--version')).stdout, /^\d+\.\d+\.\d+\n$/)
  assert.match((await stowage(folder, '--help')).stdout, /Exit codes/)
  // The commands are loaded in this process, because starting a process for each takes seconds.
  for (const [name, command] of Object.entries(COMMANDS)) {
    const { help } = await command.load()
    assert.ok(help.startsWith(`stowage ${name}: `), help)
    assert.match(help, /Examples:/)
    for (const line of help.split('\n')) assert.ok(line.length <= 100, line)
  }
  const { upload } = COMMANDS
  const { help } = await upload.load()
  for (const words of [
    ['help', 'upload'],
    ['upload', '--help'],
    ['upload', 'a.zip', '-h'],
  ]) {
    assert.deepEqual(await stowage(folder, ...words), { code: 0, stdout: help, stderr: '' })
  }
})

const server = await aPostgresServer()

test('on either database, only migrate and serve upgrade it, and other commands say what to do', async (t) => {
  const url = await server.emptyDatabase(t)
  const folder = await aFolder(t)
  const source = await aUsedFolder(t)
  assert.equal((await newerStowage({ STOWAGE_DATA: source }, 'migrate')).code, 0)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  cleanUp(t, () => sql.end())
  const engines = [
    {
      settings: { STOWAGE_DATA: folder },
      run: async (text: string) => {
        const file = new DatabaseSync(join(folder, 'stowage.db'))
        try {
          file.exec(text)
        } finally {
          file.close()
        }
      },
    },
    {
      settings: { STOWAGE_DATA: await aFolder(t), STOWAGE_DATABASE: url },
      run: async (text: string) => void (await sql.unsafe(text)),
    },
  ]
  for (const { settings, run } of engines) {
    const created = await stowageWith(settings, 'migrate', '--json')
    assert.equal(created.code, 0, created.stderr)
    assert.ok(JSON.parse(created.stdout).applied.includes('0001_baseline.sql'))
    for (const command of [
      ['accounts', 'ls'],
      ['accounts', 'add', 'shop'],
      ['keys', 'ls'],
      ['adopt', '--yes'],
      ['move', '--from', source],
    ]) {
      const { code, stderr } = await newerStowage(settings, ...command)
      assert.equal(code, 1, command.join(' '))
      assert.match(stderr, /older version of Stowage.*: stowage migrate/, command.join(' '))
    }
    const doctor = await newerStowage(settings, 'doctor')
    assert.match(
      doctor.stdout,
      /^pending +database: pending migrations: 1.*\n.*\n +> stowage migrate$/m,
    )
    // It fails, because the column still does not exist.
    await assert.rejects(run(`select newer from identity`), /newer/)
    const { applied } = JSON.parse((await newerStowage(settings, 'migrate', '--json')).stdout)
    assert.equal(applied.length, 1)
    await run(`select newer from identity`)
    // A list changes nothing: only the service, and commands that add something, create the default account.
    const listed = await newerStowage(settings, 'accounts', 'ls', '--json')
    assert.deepEqual([listed.code, JSON.parse(listed.stdout)], [0, []])
    await newerStowage(settings, 'accounts', 'add', 'shop')
    const large = { ...settings, STOWAGE_PLAN_STORAGE: '9TB' }
    const { stdout } = await newerStowage(large, 'accounts', 'ls', '--json')
    const plans = JSON.parse(stdout).map((account: { storage: number }) => account.storage)
    assert.deepEqual(plans, [1e12, 1e12])
    assert.match(
      (await newerStowage(settings, 'migrate')).stdout,
      /^The database is up to date\.$/m,
    )
    const refused = await stowageWith(settings, 'accounts', 'ls')
    assert.match(refused.stderr, /newer version of Stowage \(it has migration 9998_newer\.sql\)/)
  }
})
