import type { Random } from '@stowage/testing/machine/random'
import type { DocumentedOperation } from './document.ts'
import type { Pool } from './pool.ts'

/** Everything that the request generators use. */
export interface GeneratorContext {
  random: Random
  pool: Pool
  operations: DocumentedOperation[]
  /** Host and port, such as `127.0.0.1:1234`. */
  hosts: { api: string; storage: string }
  key: string
  /** The key for the call that deletes all assets of its account. */
  emptiedKey: string
  /**
   * The parts that are sent in this round. Each is sent only once at a time, as a second PUT of the same
   * part aborts the first one without a response.
   */
  partsInFlight: Set<string>
}
