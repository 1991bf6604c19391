import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceStatus } from '@stowage/client'
import { createClient } from '@stowage/client/node'
import { v7 as newUuid } from 'uuid'
import { assertAccessible } from './support/axe.ts'
import { missingForBrowser, openDashboard, skipUnlessCi } from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }

test('the operator sees the instances, what waits, the disk, the backups with their age, and the accounts', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, service, client } = await openDashboard(t, KEYS)
  const { database } = service.engines
  await client.upload(new Uint8Array(2000), { name: 'a.bin' })
  await page.goto('/')
  await page.getByRole('link', { name: 'Service' }).click()
  await page.getByRole('heading', { level: 1, name: 'Service' }).waitFor()
  const section = (name: string) => page.getByRole('region', { name, exact: true })
  await section('Instances').getByText('0.0.0-test').waitFor()
  await section('Disk').getByText(/free$/).waitFor()
  await section('Waiting work').waitFor()
  await section('Failures of the last day').getByText('No failures.').waitFor()
  await section('Accounts')
    .getByRole('row', { name: /^default 2 kB / })
    .waitFor()
  await section('Backups').getByText('There is no complete backup').waitFor()
  await assertAccessible(page, 'the state of a service without backups')

  for (const result of [
    { generation: '20260131T120000Z', files: 4321, bytes: 2_500_000, damaged: 3 },
    undefined,
  ]) {
    const id = newUuid()
    await database.beginBackup({ id, location: '/backups/stowage', holdForMs: 60_000 })
    await database.endBackup(id, result)
  }
  const running = newUuid()
  await database.beginBackup({ id: running, location: '/backups/stowage', holdForMs: 60_000 })
  await page.reload()
  const backups = section('Backups')
  await backups.getByText(/The last complete backup is \d+ s old\./).waitFor()
  const rows = backups.locator('tbody tr')
  const texts = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
  assert.match(texts[0] ?? '', / Running .*\/backups\/stowage/)
  assert.match(texts[1] ?? '', / Interrupted /)
  assert.match(texts[2] ?? '', / Complete Damaged or missing files: 3 4,321 2\.5 MB /)
  assert.equal(texts.length, 3)

  // As on the day after a night without a backup.
  await page.route('**/operator/status', async (route) => {
    const response = await route.fetch()
    const body: { data: ServiceStatus } = await response.json()
    for (const backup of body.data.backups) backup.age += 40 * 3600
    await route.fulfill({ response, json: body })
  })
  await page.reload()
  await backups.getByText('The last complete backup is 40 h old.').waitFor()
  await backups.getByText('Check the job that runs stowage backup.').waitFor()
  await assertAccessible(page, 'the state of a service with an old backup')
})

test('the page of the service is not offered to other keys, and says who may see it', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, client, service } = await openDashboard(t, KEYS)
  const { secret } = await client.createKey({ name: 'shop', scope: 'manage' })
  await assert.rejects(
    createClient({ baseUrl: service.baseUrl, apiKey: secret }).serviceStatus(),
    /STOWAGE_ADMIN_KEY/,
  )
  await context.clearCookies()
  await context.request.post('/api/v1/session', {
    headers: { Authorization: `Bearer ${secret}` },
    data: {},
  })
  await page.goto('/service')
  await page.getByText('Only the operator of the service can see this page.').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Service' }).count(), 0)
})
