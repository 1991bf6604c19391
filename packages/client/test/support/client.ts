import type { TestContext } from 'node:test'
import { createClient, type NodeClient, type NodeClientOptions } from '@stowage/client/node'
import { aFolder } from '@stowage/testing/machine/clean-up'

export interface TestClient {
  client: NodeClient
  /** Where its files may be; removed after the test. */
  folder: string
  stateFolder: string
}

/** A client of its own state, that loses little time over failures. */
export async function aClient(t: TestContext, options: NodeClientOptions): Promise<TestClient> {
  const folder = await aFolder(t)
  const stateFolder = options.stateFolder ?? (await aFolder(t))
  const retry = { firstMs: 10, longestMs: 200, giveUpAfterMs: 20_000, ...options.retry }
  return { client: createClient({ ...options, stateFolder, retry }), folder, stateFolder }
}
