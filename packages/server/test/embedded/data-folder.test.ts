import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { aFailedStart, aServiceProcess } from '@stowage/testing/service/service-process'
import { stowage } from '@stowage/testing/service/stowage-command'
import { someBytes, uploadFile } from '@stowage/testing/service/upload'

test('a second process with the same data folder exits with code 1 and names the process that uses it', async (t) => {
  const holder = await aServiceProcess(t)
  const { settings, folder } = holder.deployment
  const { code, stderr } = await aFailedStart(settings)
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`process ${holder.pid}\\b`))
  assert.ok(stderr.includes(holder.baseUrl), stderr)
  assert.ok(stderr.includes(folder), stderr)
  assert.ok(stderr.includes('STOWAGE_DATA'), stderr)
  await uploadFile(holder.baseUrl, { bytes: someBytes(10) })
})

test('a data folder can be used immediately after the process that used it was killed', async (t) => {
  const killed = await aServiceProcess(t)
  await killed.stop('SIGKILL')
  const next = await aServiceProcess(t, {}, killed.deployment)
  await uploadFile(next.baseUrl, { bytes: someBytes(10) })
})

/** The modes of all files in the folder, and of the folders in it. */
async function modesIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort()
  const modes = names.map(async (name) => [name, modeOf(await stat(join(folder, name)))])
  return Object.fromEntries(await Promise.all(modes))
}

function modeOf({ mode }: { mode: number }): string {
  return (mode & 0o777).toString(8)
}

test('in a folder that others can open, the service creates only private files', {
  skip: process.platform === 'win32',
}, async (t) => {
  const parent = await aFolder(t)
  const folder = join(parent, 'data')
  await mkdir(folder)
  await chmod(folder, 0o755)
  const withoutUmask = ['sh', '-c', 'umask 000; exec "$@"', 'sh']
  const settings = { STOWAGE_DATA: folder }
  const service = await aServiceProcess(t, settings, undefined, withoutUmask)
  await uploadFile(service.baseUrl, { bytes: someBytes(10) })
  const modes = await modesIn(folder)
  assert.deepEqual(
    Object.keys(modes).filter((name) => !/^(stowage\.db|lock|storage|secret)/.test(name)),
    [],
  )
  assert.ok('stowage.db-wal' in modes)
  for (const [name, mode] of Object.entries(modes)) assert.match(mode, /^[67]00$/, name)
  for (const [name, mode] of Object.entries(await modesIn(join(folder, 'storage')))) {
    assert.match(mode, /^[67]00$/, name)
  }
  assert.equal(modeOf(await stat(folder)), '755')
})

test('doctor reports private files that others can read, and changes no modes', {
  skip: process.platform === 'win32',
}, async (t) => {
  const service = await aServiceProcess(t)
  const { folder } = service.deployment
  await service.stop('SIGTERM')
  const doctor = () => stowage({ STOWAGE_DATA: folder }, 'doctor')
  const file = join(folder, 'stowage.db')
  await chmod(file, 0o644)
  // The folder protects it.
  assert.doesNotMatch((await doctor()).stdout, /private files/)
  await chmod(folder, 0o755)
  const { code, stdout } = await doctor()
  assert.equal(code, 0)
  assert.match(stdout, /^note +settings: .*other users of this machine can read private files/m)
  assert.match(stdout, /stowage\.db\b/)
  assert.doesNotMatch(stdout, /lock\b/)
  assert.equal(modeOf(await stat(file)), '644')
  await chmod(file, 0o600)
  assert.doesNotMatch((await doctor()).stdout, /private files/)
})
