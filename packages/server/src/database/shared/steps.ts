import type { EventType } from '../../domain/event.ts'
import type { Statement, Values } from './dialect.ts'

/**
 * One step of a unit of work that both engines share: a statement, or an event to record. The engine runs the steps one
 * after the other in one transaction: SQLite synchronously, PostgreSQL over its connection.
 */
export type Step =
  | { kind: 'statement'; statement: Statement<Values, unknown>; values: Values }
  | { kind: 'event'; type: EventType; data: object }

/** A unit of work that yields its steps and gets their results. */
export type SharedWork<Result> = Generator<Step, Result, unknown>

/** Runs a statement within a unit of work. */
export function* run<Given extends Values, Result>(
  statement: Statement<Given, Result>,
  values: Given,
): SharedWork<Result> {
  const step = { kind: 'statement', statement: statement as Statement<Values, unknown>, values }
  return (yield step as Step) as Result
}

/** Records an event within a unit of work. */
export function* record(type: EventType, data: object): SharedWork<void> {
  yield { kind: 'event', type, data }
}

/** Runs all steps at once. */
export function runSteps<Result>(
  work: SharedWork<Result>,
  perform: (step: Step) => unknown,
): Result {
  let next = work.next()
  while (next.done !== true) next = work.next(perform(next.value))
  return next.value
}

/** Waits for each step before the next one. */
export async function awaitSteps<Result>(
  work: SharedWork<Result>,
  perform: (step: Step) => Promise<unknown>,
): Promise<Result> {
  let next = work.next()
  while (next.done !== true) next = work.next(await perform(next.value))
  return next.value
}
