import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { ensureInstalled, INSTALL_LOCK } from '../src/machine/programs.ts'

const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0

/** Holds the lock, as a process that installs packages does. */
async function install() {
  const installing = spawn('flock', [INSTALL_LOCK, 'sh', '-c', 'echo locked; read line'])
  await once(installing.stdout, 'data')
  return () => installing.stdin.end('done\n')
}

test('a test waits while its packages are being installed', { skip: !isRootOnLinux }, async () => {
  const finish = await install()
  let isReady = false
  const ready = ensureInstalled('curl', ['curl', 'a-package-that-is-not-installed']).then(() => {
    isReady = true
  })
  // Much longer than it takes to see that the program exists.
  for (let times = 0; times < 10; times++) await once(spawn('which', ['curl']), 'exit')
  const whileInstalling = isReady
  finish()
  await ready
  assert.equal(whileInstalling, false)
})

test('a test whose packages are installed does not wait for the installation of others', {
  skip: !isRootOnLinux,
}, async () => {
  assert.equal(await ensureInstalled('script'), undefined)
  const finish = await install()
  try {
    assert.equal(await ensureInstalled('script'), undefined)
  } finally {
    finish()
  }
})
