import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { aServedPage, pageWithScript } from './served-page.ts'

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
