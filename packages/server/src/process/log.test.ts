import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import type { Logger } from 'pino'
import { EngineUnavailable } from '../domain/errors.ts'
import { watchOutages } from './log.ts'

/** The standard error of a process that runs this code with a log. */
function linesOf(work: string): string[] {
  const program = `
    const { openLog } = await import(${JSON.stringify(new URL('./log.ts', import.meta.url).href)})
    const log = await openLog('info')
    ${work}`
  const words = ['--input-type=module', '--eval', program]
  const { stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  return stderr.split('\n').map((line) => /"msg":"(.*)"/.exec(line)?.[1] ?? line)
}

test('a process that ends normally has written every line, in order', () => {
  const lines = linesOf(`log.info('one'); log.info('two'); setTimeout(() => log.info('three'), 1)`)
  assert.deepEqual(lines, ['one', 'two', 'three', ''])
})

test('a process that calls exit has written every line', () => {
  assert.deepEqual(linesOf(`log.info('one'); log.warn('two'); process.exit(1)`), ['one', 'two', ''])
})

test('a process that ends with an exception has written every line', () => {
  const lines = linesOf(`log.info('one'); setTimeout(() => { throw new Error('oh') }, 1)`)
  assert.equal(lines[0], 'one')
  assert.ok(linesOf(`log.info('one'); throw new Error('oh')`).includes('one'))
})

test('an error is written immediately with all lines before it, because the process may be killed next', () => {
  const lines = linesOf(`log.info('one'); log.error('two'); process.kill(process.pid, 'SIGKILL')`)
  assert.deepEqual(lines, ['one', 'two', ''])
})

test('only the end of an outage is logged, and not that an engine still responds after a call has failed', async (t) => {
  const logged: string[] = []
  const logger = { warn: (_: object, message: string) => logged.push(message) } as unknown as Logger
  let isAvailable = true
  let checks = 0
  const outages = watchOutages(logger, async () => {
    checks += 1
    if (!isAvailable) throw new Error('connection refused')
  })
  cleanUp(t, () => outages.close())
  outages.notice(new EngineUnavailable('database', new Error('deadlock detected')))
  await until('the database was checked', () => checks === 1)
  isAvailable = false
  outages.notice(new EngineUnavailable('database', new Error('connection refused')))
  await until('the outage was seen', () => checks === 2)
  assert.deepEqual(logged, [])
  isAvailable = true
  await until('the end of the outage is logged', () => logged.length > 0)
  assert.deepEqual(logged, ['the database is available again'])
})
