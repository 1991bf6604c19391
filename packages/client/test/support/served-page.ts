import type { RequestListener } from 'node:http'
import type { TestContext } from 'node:test'
import { sharedBrowser } from '@stowage/testing/browser/shared-browser'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { anHttpServer } from '@stowage/testing/machine/http-server'
import { type BuildOptions, build } from 'esbuild'
import type { Page } from 'playwright-core'

/** An HTML page with an input for files, and this script and its imports. */
export async function pageWithScript(
  script: Pick<BuildOptions, 'entryPoints' | 'stdin'>,
): Promise<string> {
  const { outputFiles } = await build({ ...script, bundle: true, format: 'esm', write: false })
  const code = outputFiles[0]?.text.replaceAll('</script', '<\\/script')
  return `<!doctype html><input type="file" multiple><script type="module">${code}</script>`
}

/** Opens the page that the listener serves at `/` in a real browser. */
export async function aServedPage(t: TestContext, listener: RequestListener): Promise<Page> {
  const url = await anHttpServer(t, listener)
  const context = await (await sharedBrowser()).newContext()
  cleanUp(t, () => context.close())
  const page = await context.newPage()
  await page.goto(url)
  return page
}
