import type { Random } from '@stowage/testing/machine/random'
import type { DocumentedOperation } from './document.ts'
import type { Pool } from './pool.ts'

export interface Maker {
  random: Random
  pool: Pool
  operations: DocumentedOperation[]
  /** `127.0.0.1:1234`, by port. */
  hosts: { api: string; storage: string }
  key: string
  /**
   * The parts that are sent in this round. Each is sent only once at a time, as a second PUT of the same
   * part aborts the first one without a response.
   */
  partsUnderWay: Set<string>
}
