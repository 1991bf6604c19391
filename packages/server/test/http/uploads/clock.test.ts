import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { aService } from '@stowage/testing/service/service'
import { watchClock } from '../../../src/jobs/schedule.ts'

/* Runs on sqlite+disk and postgres+disk. */

test('an instance with a wrong clock logs it once, and reports it in /readyz until the clock is correct', async (t) => {
  const service = await aService(t)
  const { context } = service
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const clock = () => new Date(Date.now() + 7_200_000)
  const ahead = {
    ...context,
    warn,
    clock,
    health: { clock: undefined, failingJobs: new Set<string>() },
  }
  await watchClock(ahead)
  await watchClock(ahead)
  assert.equal(warnings.length, 1)
  // The difference is exact to half the time of the query, which may be seconds on a busy machine.
  assert.match(
    warnings[0] ?? '',
    /the clock of this machine is 7[12]\d\d s ahead of the database’s/,
  )
  // The service's own job, whose clock is correct, may remove the note at any time.
  await until('the note is in /readyz', async () => {
    await watchClock({ ...ahead, health: context.health })
    const { status, body } = await service.call('GET', '/readyz')
    assert.equal(status, 200)
    return /the clock of this instance is 7[12]\d\d s ahead of the database’s/.test(body.notes?.[0])
  })
  await watchClock({ ...context, warn })
  const right = await service.call('GET', '/readyz')
  assert.deepEqual([right.status, right.body.notes], [200, undefined])
})
