import assert from 'node:assert/strict'
import type { AccountData } from '../account-data.ts'
import { anUpload, KEPT } from './builders.ts'

interface ReplacementFacts {
  size?: number
  filename?: string
  mime?: string
  keepsName?: boolean
  /** The declared digest. */
  sha256?: string
}

/** Starts a replacement and returns the ID of its row, its upload ID and the outcome. */
export async function startReplacement(
  data: AccountData,
  assetId: string,
  { keepsName = true, ...facts }: ReplacementFacts = {},
) {
  const upload = anUpload({ size: 10, ...facts, replaces: { assetId, keepsName } })
  const reservation = await data.reserveUpload({ upload, ...KEPT })
  return { id: upload.asset.id, uploadId: upload.id, reservation }
}

export async function replace(
  data: AccountData,
  assetId: string,
  facts?: ReplacementFacts,
  keep = 1,
) {
  const { id, reservation } = await startReplacement(data, assetId, facts)
  assert.deepEqual(reservation, { outcome: 'reserved' })
  await data.beginCompletion(id, KEPT)
  assert.equal(await data.finishCompletion(id, { keepVersions: keep, withhold: true }), 'ready')
  return id
}

export async function numbersOf(data: AccountData, assetId: string) {
  const versions = await data.listVersions(assetId)
  return versions?.map(({ version, isCurrent }) => (isCurrent ? `${version}*` : `${version}`))
}
