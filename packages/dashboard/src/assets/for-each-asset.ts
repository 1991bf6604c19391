import type { Asset } from '@stowage/client'
import pLimit from 'p-limit'

const MAX_REQUESTS = 6

/** Continues when a call fails, and rejects with the first error after all calls are done. */
export async function forEachAsset(
  assets: readonly Asset[],
  call: (asset: Asset) => Promise<unknown>,
): Promise<void> {
  const results = await Promise.allSettled(assets.map(limited(call)))
  const failure = results.find((result) => result.status === 'rejected')
  if (failure !== undefined) throw failure.reason
}

function limited(call: (asset: Asset) => Promise<unknown>) {
  const limit = pLimit(MAX_REQUESTS)
  return (asset: Asset) => limit(call, asset)
}
