import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStorageContents } from '@stowage/server/src/engines/open-engines'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { aDeployment, aService, configOf, type TestService } from '@stowage/testing/service/service'
import { COMMAND } from '@stowage/testing/service/stowage-command'
import { API, download, someBytes, uploadFile } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+ceph. */

/* More files: BACKUP_FILES=2000 TEST_TIMEOUT_MS=3600000 npx node --test packages/proofs/src/backups/kills.test.ts */
const FILES = Number(process.env.BACKUP_FILES ?? 150)

type Settings = Record<string, string>

/** Starts a command of the CLI in its own process. */
function start(settings: Settings, ...words: string[]) {
  // The CLI refuses unknown settings, such as those that select the engines of the tests.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STOWAGE_TEST_'))
  const env = { ...Object.fromEntries(own), ...settings }
  const child = spawn(process.execPath, [COMMAND, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }))
  return { child, ended }
}

/** Kills the command when the condition is true. Fails if the command ended before. */
async function killWhen(
  t: TestContext,
  running: ReturnType<typeof start>,
  [what, condition]: [string, () => Promise<boolean>],
): Promise<void> {
  cleanUp(t, () => running.child.kill('SIGKILL'))
  await until(what, condition, 60_000)
  running.child.kill('SIGKILL')
  const { code, stdout, stderr } = await running.ended
  assert.equal(code, null, `${what}: the command ended before: ${stdout} ${stderr}`)
}

async function countBelow(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0
  const shards = await readdir(folder)
  const counts = shards.map(
    async (shard) => (await readdir(join(folder, shard)).catch(() => [])).length,
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

async function aFullService(t: TestContext) {
  const deployment = await aDeployment(t, { isReliable: true })
  const service = await aService(t, {}, deployment)
  const names = Array.from({ length: FILES }, (_, index) => index)
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let index = names.pop(); index !== undefined; index = names.pop()) {
        await uploadFile(service.baseUrl, {
          name: `${index}.bin`,
          bytes: someBytes(index * 7, index + 1),
        })
      }
    }),
  )
  return { deployment, service, settings: deployment.settings as Settings }
}

async function checkFiles(service: TestService): Promise<void> {
  const { body } = await service.call('GET', `${API}/assets?limit=1000`)
  assert.equal(body.data.length, FILES)
  for (const { id, filename } of body.data) {
    const index = Number.parseInt(filename, 10)
    assert.deepEqual(await download(service.baseUrl, id), someBytes(index * 7, index + 1))
  }
}

test('a backup that is killed continues, and a restore that is killed continues, without a trace', async (t) => {
  const { service, settings } = await aFullService(t)
  const folder = join(await aFolder(t), 'backup')
  const objects = join(folder, 'storage/objects')
  const command = ['backup', folder, '--objects', '--copy', '--json']
  for (const part of [0.2, 0.6]) {
    const goal = Math.ceil(FILES * part)
    const reached = async () => (await countBelow(objects)) >= goal
    await killWhen(t, start(settings, ...command), [`${goal} files are copied`, reached])
    const checked = await start(settings, 'backup', '--check', folder).ended
    assert.equal(checked.code, 1)
    assert.match(checked.stdout, /there is no complete backup/)
    const refused = await start({ STOWAGE_DATA: await aFolder(t) }, 'restore', folder).ended
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
  }
  const present = await countBelow(objects)
  const done = await start(settings, ...command).ended
  assert.equal(done.code, 0, done.stderr)
  const { files, bytes, bytesCopied } = JSON.parse(done.stdout)
  assert.equal(files, FILES)
  assert.ok(present > FILES / 2 && bytesCopied < bytes, 'files were copied again')
  assert.deepEqual(await readdir(join(folder, 'generations')).then((names) => names.length), 1)
  const listed = await service.engines.database.listBackups(10)
  assert.deepEqual(
    listed.map(({ result }) => result !== null),
    [true, false, false],
  )
  await service.close()

  const target = await aDeployment(t, { isReliable: true })
  const targetSettings = target.settings as Settings
  const config = configOf(targetSettings)
  const contents = await openStorageContents({ config, clock: () => new Date() })
  cleanUp(t, () => contents.close())
  const copied = async () => {
    const found = await Array.fromAsync(contents.listObjects()).catch(() => [])
    return found.length
  }
  for (const part of [0.2, 0.6]) {
    const goal = Math.ceil(FILES * part)
    const reached = async () => (await copied()) >= goal
    await killWhen(t, start(targetSettings, 'restore', folder), [
      `${goal} files are restored`,
      reached,
    ])
    const served = await start({ ...targetSettings, STOWAGE_PORT: '0' }, 'serve').ended
    assert.equal(served.code, 1)
    assert.match(served.stderr, /Finish it with: stowage restore .* --generation/)
  }
  const last = await start(targetSettings, 'restore', folder, '--json').ended
  assert.equal(last.code, 0, last.stderr)
  assert.deepEqual([JSON.parse(last.stdout).assets, JSON.parse(last.stdout).damaged], [FILES, []])
  await checkFiles(await aService(t, {}, target))
  if (isOnS3) return
  // Nothing is left of the killed runs.
  assert.deepEqual(await readdir(join(target.folder, 'storage/uploads')), [])
})
