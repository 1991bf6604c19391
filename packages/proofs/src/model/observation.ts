import type { Command } from './commands.ts'

/** Used as the status if the connection was closed without a response. */
export const NO_RESPONSE = 0

/** The response that a client got. Fields that do not apply to the call are omitted. */
export interface Observation {
  status: number
  code?: string
  /** The upload of the call, or the asset. */
  id?: string
  /** The asset of the call, if its ID is not `id`: for a call about the upload of a new version. */
  asset?: string
  /** The reserved size of an upload whose size was an estimate. */
  size?: number
  /** The product that the upload token attaches the upload to. */
  attaches?: number
  /** The assets of a call about several assets. */
  ids?: string[]
  /** The ID of a change in the background. */
  job?: string
  /** The digest of the downloaded bytes. */
  sha256?: string
  /** The versions of a file. */
  versions?: { version: number; bytes: number; name: string; isCurrent: boolean }[]
  /** The IDs of products that were imported or removed, by variant. */
  products?: Record<number, string>
  /** The vendors of the imported products, by variant. */
  vendors?: Record<number, string>
  /** The parts that were stored, or listed in a completion. */
  parts?: { number: number; etag: string; content: number; size: number }[]
  /** Numbers of the parts that the storage has. */
  received?: number[]
  /** The IDs of the listed assets. */
  listed?: string[]
  /** The listed tags, each with its number of assets. */
  tags?: [string, number][]
  /** The listed variants. */
  variants?: number[]
  /** The listed products. `count` is the number of assets or of attached variants. */
  groups?: { product: number; variants: number[]; total: number; count: number | null }[]
  /** The unfinished uploads, with the bytes that the storage has. */
  unfinished?: { id: string; bytes: number; received: number | null }[]
  account?: {
    stored: number
    reserved: number
    trash: number
    assets: number
    limit: number
    maxAssets: number | null
  }
}

/** A call and its response. Parts that are sent together are separate events. */
export interface Event {
  client: number
  command: Command
  seen: Observation
  /** The client made the calls of each step after all calls of the previous step had ended. */
  step?: number
}
