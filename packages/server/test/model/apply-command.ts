import type { Command, JobName } from './commands.ts'
import {
  changeUpload,
  completeUpload,
  hasAllParts,
  isVisible,
  type Model,
  type ModelUpload,
} from './model.ts'
import { NO_RESPONSE, type Observation } from './observation.ts'
import { type ConcurrentCalls, RULES, type Rule } from './rules.ts'

/**
 * The possible models after the call. Empty if the rules do not allow this response in this state. A call
 * whose connection failed may or may not have taken effect.
 */
export function applyCommand(
  model: Model,
  command: Command,
  seen: Observation,
  concurrent: ConcurrentCalls,
): Model[] {
  const rule = RULES[command.kind] as Rule<Command['kind']>
  const apply = (observed: Observation) => rule(model, command as never, observed, concurrent)
  if (command.kind === 'job') return afterJob(model, command.name, concurrent)
  const isPut = command.kind === 'put' || command.kind === 'putAll'
  if (seen.status !== NO_RESPONSE || isPut) return defined([apply(seen)])
  if (command.kind === 'replace') {
    return [model, changeUpload(model, seen.asset ?? '', { hasLostReplacement: true })]
  }
  // No client knows a session whose response was lost. It expires.
  const success = SUCCESS[command.kind]
  return success === undefined ? [model] : defined([model, apply({ ...seen, status: success })])
}

/** The status of a successful call, for calls that change something. */
const SUCCESS: Partial<Record<Command['kind'], number>> = {
  complete: 200,
  cancel: 200,
  delete: 202,
  resize: 200,
  rename: 200,
  attach: 201,
  detach: 200,
  restore: 200,
  deleteVersion: 202,
  removeProduct: 202,
  expire: 200,
}

/**
 * Only two jobs change what clients see: one finishes completions that have begun, even if the caller
 * listed other parts, and one forgets cancelled uploads.
 */
function afterJob(model: Model, name: JobName, concurrent: ConcurrentCalls): Model[] {
  if (name === 'forgetEndedAssets') {
    const uploads = model.uploads.map((upload): ModelUpload => {
      const { key, ...rest } = upload
      return isVisible(upload) ? upload : { ...rest, status: 'deleted' }
    })
    return [{ ...model, uploads }]
  }
  if (name !== 'finishCompletions' || !concurrent.isCompleted) return [model]
  const complete = model.uploads.filter((one) => one.status === 'uploading' && hasAllParts(one))
  return [model, ...complete.map((upload) => completeUpload(model, upload))]
}

function defined(models: (Model | undefined)[]): Model[] {
  return models.filter((model) => model !== undefined)
}
