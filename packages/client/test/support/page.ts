import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sharedBrowser } from '@stowage/testing/browser/shared-browser'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { build } from 'esbuild'
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
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../pages/${script}`, import.meta.url))],
    bundle: true,
    format: 'esm',
    write: false,
  })
  const html = `<!doctype html><input type="file" multiple><script type="module">${outputFiles[0]?.text.replaceAll('</script', '<\\/script')}</script>`
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(t, () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const context = await (await sharedBrowser()).newContext()
  cleanUp(t, () => context.close())
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return {
    page,
    choose: (...paths) => page.locator('input').first().setInputFiles(paths),
    call: (name, ...args) => page.evaluate(`${name}(...${JSON.stringify(args)})`),
  }
}
