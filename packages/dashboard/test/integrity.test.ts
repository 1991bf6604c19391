import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { scrubFiles } from '@stowage/server/src/jobs/checksums'
import { flipBit } from '@stowage/testing/engines/test-engines'
import { JOBS, NEVER, takeOverJobs } from '@stowage/testing/service/jobs'
import { storeFiles, storeProducts } from './support/assets.ts'
import { assertAccessible } from './support/axe.ts'
import {
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()
/** A completion does not hash a file of several parts, so the page shows the time before the job has read it. */
const IN_PARTS = { STOWAGE_CHECKSUMS: 'on', STOWAGE_CHUNK_SIZE: '5' }

test('a verified file shows its digest, and a damaged one a warning on every page', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service, context } = await openDashboard(t, IN_PARTS)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const jobs = await takeOverJobs(service)
  const [asset] = await storeFiles(client, [{ name: 'book.txt', content: 'first edition' }])
  const id = asset?.id ?? ''
  const sha256 = createHash('sha256').update('first edition').digest('hex')
  const [product] = await storeProducts(client, ['E-book'])
  await client.attach(id, { products: [product?.id ?? ''] })

  await page.goto(`/assets/${id}`)
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByText('Not verified yet. The service may still be reading the file.').waitFor()
  await assertAccessible(page, 'a file that is not verified')
  await JOBS.computeChecksums(jobs)
  // The page reads the asset again.
  await details.getByText('Verified', { exact: true }).waitFor()
  const { checksum } = await client.asset(id)
  await details.locator(`time[datetime="${checksum?.verified_at}"]`).waitFor()
  await details.getByText(sha256).waitFor()
  await details.getByRole('button', { name: 'Copy SHA-256' }).click()
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
  await until('the digest is copied', async () => (await copied()) === sha256)
  // The tooltip of the button is not part of this state.
  await page.mouse.move(0, 0)
  await page.getByRole('tooltip').waitFor({ state: 'detached' })
  await assertAccessible(page, 'a verified file')

  await flipBit(service, { key: id, bytes: 13 })
  await jobs.database.postponeVerification(id, new Date(0))
  await scrubFiles(jobs, NEVER)
  await page.reload()
  const alert = page.getByRole('alert', { name: 'This file is damaged' })
  await alert.getByText('Replace it, or restore another one.').waitFor()
  await details.getByText('Expected SHA-256').waitFor()
  await details.getByText(sha256).waitFor()
  assert.equal(await details.getByText('Verified', { exact: true }).count(), 0)
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByText('No preview is available, because the file is damaged.').waitFor()
  await page.getByRole('region', { name: 'Versions' }).getByText('Damaged').waitFor()
  // Nothing offers a download that the service refuses.
  assert.equal(await page.getByRole('button', { name: 'Download' }).count(), 0)
  assert.equal(await page.getByRole('link', { name: 'Download version 1' }).count(), 0)
  await assertAccessible(page, 'a damaged file')
  for (const path of ['/', `/products/${product?.id}`]) {
    await openPage(page, path)
    await page.getByRole('link', { name: 'book.txt' }).waitFor()
    await page.getByText('Damaged', { exact: true }).waitFor()
    await assertAccessible(page, `a damaged file on ${path}`)
  }

  await openPage(page, `/assets/${id}`)
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Replace file' }).click()
  const file = { name: 'book.txt', mimeType: 'text/plain', buffer: Buffer.from('second edition') }
  await (await choosing).setFiles(file)
  await page.getByRole('button', { name: 'Replace', exact: true }).click()
  await preview.getByText('second edition').waitFor()
  assert.equal(await alert.count(), 0)
  await page.getByRole('button', { name: 'Download', exact: true }).waitFor()
})

test('the page shows that a file is being compared with its declared digest, and then the file', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t, IN_PARTS)
  const jobs = await takeOverJobs(service)
  const sha256 = createHash('sha256').update('an e-book').digest('hex')
  const asset = await client.upload(new Blob(['an e-book']), { name: 'book.txt', sha256 })
  await page.goto(`/assets/${asset.id}`)
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByText('The service is comparing the file with its declared SHA-256.').waitFor()
  await assertAccessible(page, 'a file that is being compared')
  await JOBS.computeChecksums(jobs)
  await preview.getByText('an e-book').waitFor()
  await page.getByText('Verified', { exact: true }).waitFor()
})

test('without checksums, the page of a file does not show that it will be verified', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, { STOWAGE_CHECKSUMS: 'off' })
  const [asset] = await storeFiles(client, [{ name: 'book.txt' }])
  await page.goto(`/assets/${asset?.id}`)
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByText('Ready').waitFor()
  // The link to the trash is shown once the settings of the service are known.
  await page.getByRole('link', { name: 'Trash' }).waitFor()
  assert.equal(await details.getByText('Integrity').count(), 0)
})
