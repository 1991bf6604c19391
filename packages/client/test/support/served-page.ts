import type { RequestListener } from 'node:http'
import type { TestContext } from 'node:test'
import { aReusedContext, reusedPort } from '@stowage/testing/browser/reused-context'
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
  const url = await anHttpServer(t, listener, await reusedPort())
  const context = await aReusedContext(t)
  const page = await context.newPage()
  await page.goto(url)
  return page
}
