import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

const PROGRAM = `
  import { closeOnSignal, openContext } from '${new URL('workload.ts', import.meta.url)}'
  // As a package that exits immediately after a signal.
  process.on('SIGTERM', () => process.exit(1))
  const context = openContext(1)
  context.defer(async () => {
    process.kill(process.pid, 'SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 50))
    console.log('removed')
  })
  closeOnSignal(context)
  setInterval(() => {}, 1000)
  process.kill(process.pid, 'SIGTERM')
`

test('after a signal, the clean-up runs once and to its end', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM])
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.equal(output, 'removed\n')
  assert.equal(code, 130)
})
