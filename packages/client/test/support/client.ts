import type { TestContext } from 'node:test'
import { createClient, type NodeClient, type NodeClientOptions } from '@stowage/client/node'
import { aFolder } from '@stowage/testing/machine/clean-up'

export interface TestClient {
  client: NodeClient
  /** For files of the test; removed after it. */
  folder: string
  stateFolder: string
}

/** A client with its own state and short retry delays. */
export async function aClient(t: TestContext, options: NodeClientOptions): Promise<TestClient> {
  const folder = await aFolder(t)
  const stateFolder = options.stateFolder ?? (await aFolder(t))
  const retry = { firstMs: 10, longestMs: 200, giveUpAfterMs: 20_000, ...options.retry }
  return { client: createClient({ ...options, stateFolder, retry }), folder, stateFolder }
}
