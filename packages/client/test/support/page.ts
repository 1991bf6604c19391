import type { RequestListener } from 'node:http'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aReusedContext, reusedPort } from '@stowage/testing/browser/shared-browser'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { type BuildOptions, build } from 'esbuild'
import type { Page } from 'playwright-core'

export interface TestPage {
  page: Page
  /** Chooses these files in the page. */
  choose(...paths: string[]): Promise<void>
  /** Calls a global function of the page. */
  call<Result>(name: string, ...args: unknown[]): Promise<Result>
}

/** Opens a page of `pages/` in a real browser. It is served from another origin than the service. */
export async function aPage(t: TestContext, script: string): Promise<TestPage> {
  const entryPoints = [fileURLToPath(new URL(`../pages/${script}`, import.meta.url))]
  const html = await pageWithScript({ entryPoints })
  const page = await aServedPage(t, (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html)
  })
  return {
    page,
    choose: (...paths) => page.locator('input').first().setInputFiles(paths),
    call: (name, ...args) => page.evaluate(`${name}(...${JSON.stringify(args)})`),
  }
}

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
