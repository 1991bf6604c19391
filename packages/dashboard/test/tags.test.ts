import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeFiles } from './support/assets.ts'
import { assertAccessible, DIALOG } from './support/axe.ts'
import { missingForBrowser, openDashboard, skipUnlessCi, until } from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()

test('tags are added on the page of an asset, suggested from existing ones, removed, and filter the list', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const [one, two] = await storeFiles(
    client,
    ['one.zip', 'two.zip', 'three.zip'].map((name) => ({ name })),
  )
  await client.change(two?.id ?? '', { tags: ['Summer sale'] })
  await page.goto(`/assets/${one?.id}`)
  const tags = page.getByRole('region', { name: 'Tags' })
  const field = tags.getByRole('combobox', { name: 'Add tags' })
  await field.fill('Drums')
  await page.keyboard.press('Enter')
  await tags.getByRole('link', { name: 'Drums' }).waitFor()
  await field.fill('summer')
  await page.getByRole('option', { name: 'Summer sale' }).click()
  await tags.getByRole('link', { name: 'Summer sale' }).waitFor()
  await assertAccessible(page, 'an asset with tags')
  await tags.getByRole('button', { name: 'Remove the tag Drums' }).click()
  await tags.getByRole('link', { name: 'Drums' }).waitFor({ state: 'detached' })
  assert.deepEqual((await client.asset(one?.id ?? '')).tags, ['Summer sale'])

  await tags.getByRole('link', { name: 'Summer sale' }).click()
  await page.getByText('2 assets found').waitFor()
  assert.match(page.url(), /\/\?tag=Summer\+sale$/)
  await page.getByRole('button', { name: 'Show assets with any tag' }).click()
  await page.getByText('3 assets', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Filter by tag' }).click()
  const choice = page.getByRole('dialog').getByRole('button', { name: 'Summer sale' })
  await choice.waitFor()
  await assertAccessible(page, 'the choice of a tag', DIALOG)
  await choice.click()
  await page.getByText('2 assets found').waitFor()
})

test('tags of several assets are changed from the selection bar, and the change can be undone', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const files = await storeFiles(
    client,
    ['one.zip', 'two.zip'].map((name) => ({ name })),
  )
  const ids = files.map(({ id }) => id)
  await client.change(ids[0] ?? '', { tags: ['Old', 'new'] })
  const tagsOf = async () => Promise.all(ids.map(async (id) => (await client.asset(id)).tags))
  await page.goto('/')
  for (const name of ['one.zip', 'two.zip']) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  }
  await page.getByRole('button', { name: 'Tags', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the tags of 2 assets' })
  await dialog.getByRole('combobox', { name: 'Add' }).fill('new')
  await page.keyboard.press('Enter')
  await dialog.getByRole('combobox', { name: 'Remove' }).click()
  await page.getByRole('option', { name: 'Old' }).click()
  await assertAccessible(page, 'the tags of several assets', DIALOG)
  // The list of options closes.
  await page.keyboard.press('Tab')
  await dialog.getByRole('button', { name: 'Change tags' }).click()
  await page.getByText('Tags of 2 assets changed').waitFor()
  assert.deepEqual(await tagsOf(), [['new'], ['new']])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The tags are as before').waitFor()
  assert.deepEqual(await tagsOf(), [['new', 'Old'], []])

  // What is typed is a tag, even without Enter.
  for (const name of ['one.zip', 'two.zip']) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  }
  await page.getByRole('button', { name: 'Tags', exact: true }).click()
  assert.equal(await dialog.getByRole('button', { name: 'Change tags' }).isEnabled(), false)
  await dialog.getByRole('combobox', { name: 'Add' }).pressSequentially('typed')
  await dialog.getByRole('button', { name: 'Change tags' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(await tagsOf(), [['new', 'Old', 'typed'], ['typed']])
})

test('an asset is renamed in the list with F2 or its button; Escape cancels, and an error is shown in place', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const [file] = await storeFiles(client, [{ name: 'before.zip' }])
  await page.goto('/')
  const link = page.getByRole('link', { name: 'before.zip' })
  const field = page.getByRole('textbox', { name: 'Name', exact: true })
  const focusedLink = (name: string) =>
    page.getByRole('link', { name }).and(page.locator(':focus')).waitFor()
  await link.focus()
  await page.keyboard.press('F2')
  await field.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('after')
  assert.equal(await field.inputValue(), 'after.zip')
  await assertAccessible(page, 'renaming in the list')
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await focusedLink('before.zip')

  await page.keyboard.press('F2')
  await field.fill('a/b')
  await page.keyboard.press('Enter')
  await page.getByText(/^must (not|be)/).waitFor()
  await field.fill('after.zip')
  await page.keyboard.press('Enter')
  await focusedLink('after.zip')
  assert.equal((await client.asset(file?.id ?? '')).filename, 'after.zip')

  await page.setViewportSize({ width: 375, height: 700 })
  await page.getByRole('button', { name: 'Rename after.zip' }).click()
  await field.fill('phone.zip')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('button', { name: 'Rename phone.zip' }).waitFor()
  await until('the asset has the new name', async () => {
    return (await client.asset(file?.id ?? '')).filename === 'phone.zip'
  })
})
