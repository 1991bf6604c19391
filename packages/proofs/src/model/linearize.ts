import { applyCommand } from './apply-command.ts'
import type { Command } from './commands.ts'
import type { Model } from './model.ts'
import type { Event } from './observation.ts'
import type { ConcurrentCalls } from './rules.ts'

/**
 * The possible states after concurrent calls: one for each order of the calls that explains every
 * response. Empty if no order does: then the service violated a rule.
 */
export function linearize(models: Model[], events: Event[]): Model[] {
  const found = new Map<string, Model>()
  const visited = new Set<string>()
  const concurrent = events.map((event) => concurrentCallsOf(event, events))

  function visit(model: Model, done: number): void {
    const text = JSON.stringify(model)
    const state = `${done} ${text}`
    if (visited.has(state)) return
    visited.add(state)
    if (done === 2 ** events.length - 1) found.set(text, model)
    for (const [index, event] of events.entries()) {
      if ((done & (1 << index)) !== 0 || !isNext(event, done)) continue
      const after = applyCommand(
        model,
        event.command,
        event.seen,
        concurrent[index] ?? NO_CONCURRENT_CALLS,
      )
      for (const next of after) visit(next, done | (1 << index))
    }
  }

  function isNext({ client, step = 0 }: Event, done: number): boolean {
    return events.every(
      (other, index) =>
        other.client !== client || (other.step ?? 0) >= step || (done & (1 << index)) !== 0,
    )
  }

  for (const model of models) visit(model, 0)
  return [...found.values()]
}

const NO_CONCURRENT_CALLS: ConcurrentCalls = {
  isCompleted: false,
  isPut: false,
  isEnded: false,
  isTouched: false,
  isAlone: true,
}
/** Calls about an asset and about its new version may affect each other. */
function assetOf({ seen }: Event): string | undefined {
  return seen.asset ?? seen.id
}

const ENDING: Command['kind'][] = [
  'cancel',
  'delete',
  'expire',
  'bulkDelete',
  'deleteAll',
  'beginDeleteAll',
]
const TOUCHES_EVERYTHING: Command['kind'][] = [
  'removeProduct',
  'job',
  'bulkDelete',
  'bulkRestore',
  'deleteAll',
  'beginDeleteAll',
  'emptyTrash',
]

function concurrentCallsOf(event: Event, events: Event[]): ConcurrentCalls {
  const others = events.filter(
    (other) =>
      other.client !== event.client &&
      (assetOf(other) === assetOf(event) ||
        event.command.kind === 'job' ||
        TOUCHES_EVERYTHING.includes(other.command.kind)),
  )
  return {
    isCompleted: others.some(({ command }) => command.kind === 'complete'),
    isPut: others.some(({ command }) => command.kind === 'put'),
    isEnded: others.some(({ command }) => ENDING.includes(command.kind)),
    isTouched: others.length > 0,
    isAlone: events.every(({ client }) => client === event.client),
  }
}
