import type { Event, ListEventsQuery } from '@stowage/protocol'
import type { CallSettings } from '../options.ts'

/** A change of the account’s data, and who made it. */
export type StowageEvent = Event

/** The options of `events`. */
export interface EventsOptions extends CallSettings {
  /**
   * Starts after the event with this ID; 0 starts with the first one. Rejects with `events_forgotten` if events
   * after this ID have already been removed, and with `events_reset` if the service does not have this event, because
   * its database was restored from a backup. Load the current state then, and continue after `last_id` of the
   * error’s `facts`. Default: only new events.
   */
  after?: number | undefined
  /** Only events of these types, separated by commas. */
  type?: ListEventsQuery['type'] | undefined
  /** Called whenever the stream is connected, again after each failure, with the ID after which it continues. */
  onOpen?: ((after: number) => void) | undefined
}
