import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { ensureInstalled, INSTALL_LOCK } from '../src/machine/programs.ts'

const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0

test('a test waits while another process installs packages', { skip: !isRootOnLinux }, async () => {
  const installing = spawn('flock', [INSTALL_LOCK, 'sh', '-c', 'echo locked; read line'])
  await once(installing.stdout, 'data')
  let isReady = false
  const ready = ensureInstalled('curl').then(() => {
    isReady = true
  })
  // Much longer than it takes to see that the program exists.
  for (let times = 0; times < 10; times++) await once(spawn('which', ['curl']), 'exit')
  const whileInstalling = isReady
  installing.stdin.end('done\n')
  await ready
  assert.equal(whileInstalling, false)
})
