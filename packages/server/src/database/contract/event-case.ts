import type { Opened } from './builders.ts'

export interface EventCase {
  sentence: string
  /** Returns the work, whose events are compared. */
  prepare: (opened: Opened) => Promise<() => Promise<unknown>>
  /** The types of the events. */
  recorded: string[]
}
