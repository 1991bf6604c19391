import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '../operations/context.ts'
import { createDiskWatch, forecast } from './disk-forecast.ts'

const MINUTE = 60_000
const GB = 1_000_000_000

test('the forecast continues the change from the first to the last sample', () => {
  const samples = [
    { at: 0, free: 100 * GB },
    { at: 10 * MINUTE, free: 95 * GB },
    { at: 20 * MINUTE, free: 80 * GB },
  ]
  assert.equal(forecast(samples), 80 * MINUTE)
})

test('there is no forecast before ten minutes, or for a disk that is not filling', () => {
  const first = { at: 0, free: 10 * GB }
  assert.equal(forecast([]), undefined)
  assert.equal(forecast([first]), undefined)
  assert.equal(forecast([first, { at: 9 * MINUTE, free: GB }]), undefined)
  assert.equal(forecast([first, { at: 30 * MINUTE, free: 10 * GB }]), undefined)
  assert.equal(forecast([first, { at: 30 * MINUTE, free: 11 * GB }]), undefined)
})

/** Runs the watch every minute, and returns its warnings. */
async function watchFor(minutes: number, freeAt: (minute: number) => number | undefined) {
  const warnings: string[] = []
  let minute = 0
  const context = {
    storage: { freeBytes: async () => freeAt(minute) },
    clock: () => new Date(minute * MINUTE),
    health: { clock: undefined, failingJobs: new Set() },
    warn: (message: string) => void warnings.push(message),
  } as unknown as Context
  const watch = createDiskWatch()
  for (; minute <= minutes; minute += 1) await watch(context)
  return { warnings, disk: context.health.disk }
}

test('a disk that fills within four hours is reported once an hour, with the time that remains', async () => {
  const { warnings } = await watchFor(130, (minute) => (300 - minute) * GB)
  assert.equal(warnings.length, 2)
  assert.match(warnings[0] ?? '', /will be full in about 4 hours if .*240 GB are free/)
})

test('a disk that fills slowly, and storage without a limit, are not reported', async () => {
  assert.deepEqual(await watchFor(100, (minute) => (400 - minute) * GB), {
    warnings: [],
    disk: undefined,
  })
  assert.deepEqual(await watchFor(10, () => undefined), { warnings: [], disk: undefined })
})

test('when only the reserve is free, the reason says that uploads are refused, until space is free again', async () => {
  const { warnings, disk } = await watchFor(3, () => 0)
  assert.equal(warnings.length, 1)
  assert.match(disk ?? '', /uploads are refused/)
  const later = await watchFor(30, (minute) => (minute < 3 ? 0 : 50 * GB))
  assert.equal(later.disk, undefined)
})
