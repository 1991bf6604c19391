import type { Command, JobName } from './commands.ts'
import { changeUpload, hasAllParts, isVisible, type Model, type ModelUpload } from './model.ts'
import { NO_RESPONSE, type Observation } from './observation.ts'
import { type ConcurrentCalls, RULES, type Rule } from './rules.ts'

/**
 * The models that may be after the call, if the rules of the product allow this answer in this state;
 * none if they do not. A call whose connection broke may have taken effect or not.
 */
export function applyCommand(
  model: Model,
  command: Command,
  seen: Observation,
  concurrent: ConcurrentCalls,
): Model[] {
  const rule = RULES[command.kind] as Rule<Command['kind']>
  const apply = (told: Observation) => rule(model, command as never, told, concurrent)
  if (command.kind === 'job') return afterJob(model, command.name, concurrent)
  const isPut = command.kind === 'put' || command.kind === 'putAll'
  if (seen.status !== NO_RESPONSE || isPut) return present([apply(seen)])
  // A session that nobody got is unknown to everybody, and expires.
  const success = SUCCESS[command.kind]
  return success === undefined ? [model] : present([model, apply({ ...seen, status: success })])
}

/** The answer to a call that took effect, of the calls that change something. */
const SUCCESS: Partial<Record<Command['kind'], number>> = {
  complete: 200,
  cancel: 200,
  delete: 202,
  resize: 200,
  rename: 200,
  attach: 201,
  detach: 200,
  removeProduct: 202,
  expire: 200,
}

/**
 * Jobs change nothing that clients see, but for two: a completion that somebody has begun is finished,
 * whatever parts the caller named, and a cancelled upload is forgotten.
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
  const whole = model.uploads.filter((one) => one.status === 'uploading' && hasAllParts(one))
  return [model, ...whole.map(({ id }) => changeUpload(model, id, { status: 'ready' }))]
}

function present(models: (Model | undefined)[]): Model[] {
  return models.filter((model) => model !== undefined)
}
