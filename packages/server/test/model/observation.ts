import type { Command } from './commands.ts'

/** In place of a status: the connection was closed without an answer. */
export const NO_RESPONSE = 0

/** What a client saw of its call. Fields that a kind of call does not have are left out. */
export interface Observation {
  status: number
  code?: string
  /** The upload that the call was about. */
  id?: string
  /** The IDs of products that were imported or removed, by variant. */
  products?: Record<number, string>
  /** The parts that were stored, or named in a completion. */
  parts?: { number: number; etag: string; content: number; size: number }[]
  /** Numbers of the parts that the storage has. */
  received?: number[]
  /** The IDs of all ready assets, sorted. */
  listed?: string[]
  account?: { stored: number; reserved: number; assets: number; limit: number }
}

/** A call and what its client saw. Parts that are sent together are calls of their own. */
export interface Event {
  client: number
  command: Command
  seen: Observation
  /** Calls of one client that have a number were made one after the other, in this order. */
  step?: number
}
