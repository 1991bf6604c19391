import type { Opened } from './builders.ts'

export interface EventCase {
  /** Continues the name of the test: `events of …`. */
  sentence: string
  /** Prepares the state. Returns the work that must record the events. */
  prepare: (opened: Opened) => Promise<() => Promise<unknown>>
  /** The types of the events that the work must record. */
  recorded: string[]
}
