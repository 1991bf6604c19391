import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchUsage } from './servers.ts'

/* Runs in its own process: it measures the CPU time of the process. */

const skip = process.platform === 'linux' ? false : 'needs Linux'

test('the measured CPU time of a process is the time its work took', { skip }, async () => {
  const { cpuSeconds, peakMegabytes } = await watchUsage([process.pid], async () => {
    const before = process.cpuUsage()
    const spent = () => {
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1e6
    }
    while (spent() < 0.3);
  })
  // The kernel counts in hundredths of a second, and the process does a little more than its work.
  assert.ok(cpuSeconds >= 0.28 && cpuSeconds < 0.6, `${cpuSeconds}`)
  assert.ok(peakMegabytes > 10)
})
