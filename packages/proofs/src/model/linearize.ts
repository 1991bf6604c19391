import { finishBulk, modelsWithBulk } from './bulk-rules.ts'
import type { Command, JobName } from './commands.ts'
import { finishMoves, modelsWithMoves } from './folder-rules.ts'
import {
  changeUpload,
  completeUpload,
  findUpload,
  hasAllParts,
  isVisible,
  type Model,
  type ModelUpload,
  withComparedFiles,
} from './model.ts'
import { type Event, NO_RESPONSE, type Observation } from './observation.ts'
import { type ConcurrentCalls, certainSize, RULES, type Rule } from './rules.ts'
import { finishDeletion, modelsWithRoom, withoutTrash } from './trash-rules.ts'

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
  'beginBulk',
  'deleteAll',
  'beginDeleteAll',
]
const TOUCHES_EVERYTHING: Command['kind'][] = [
  'removeProduct',
  'job',
  'bulkDelete',
  'bulkRestore',
  'bulkMove',
  'beginBulk',
  'beginMoveFolder',
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

/**
 * The possible models after the call. Empty if the rules do not allow this response in this state. A call
 * whose connection failed may or may not have taken effect.
 */
function applyCommand(
  model: Model,
  command: Command,
  seen: Observation,
  concurrent: ConcurrentCalls,
): Model[] {
  const { beingDeleted, beingMoved, beingChanged } = model
  const isChanging = [beingDeleted, beingMoved, beingChanged].some(({ length }) => length > 0)
  if (!isChanging) return applyTo(model, command, seen, concurrent)
  // A job of the service may change these assets before, while or after this call runs.
  const touched = { ...concurrent, isEnded: true, isTouched: true, isAlone: false }
  return modelsWithBulk(model)
    .flatMap(modelsWithMoves)
    .flatMap((one) => (one.beingDeleted.length > 0 ? [one, finishDeletion(one)] : [one]))
    .flatMap((one) => applyTo(one, command, seen, touched))
}

function applyTo(
  model: Model,
  command: Command,
  seen: Observation,
  concurrent: ConcurrentCalls,
): Model[] {
  const rule = RULES[command.kind] as Rule<Command['kind']>
  // Only a reservation that succeeds removes trash.
  const models = modelsWithRoom(model, neededBytes(model, command, seen))
  const apply = (observed: Observation) =>
    models.map((one) => rule(one, command as never, observed, concurrent))
  if (command.kind === 'job') return afterJob(model, command.name, concurrent)
  const isPut = command.kind === 'put' || command.kind === 'putAll'
  if (seen.status !== NO_RESPONSE || isPut) return defined(apply(seen))
  if (command.kind === 'replace') {
    return [model, changeUpload(model, seen.asset ?? '', { hasLostReplacement: true })]
  }
  // A `sign` without a response does not change the model: no client knows its session, which expires.
  const success = SUCCESS[command.kind]
  return success === undefined ? [model] : defined([model, ...apply({ ...seen, status: success })])
}

/** The status of a successful call, for calls that the model applies even if their response was lost. */
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
  restoreAsset: 200,
  retag: 200,
  bulkTag: 200,
  bulkDelete: 200,
  bulkRestore: 200,
  bulkMove: 200,
  deleteAll: 202,
  emptyTrash: 202,
  removeProduct: 202,
  expire: 200,
}

/** The bytes that a call reserves. A resize may have reserved them even if its response is 404 or was lost. */
function neededBytes(model: Model, command: Command, seen: Observation): number {
  const isSigned = command.kind === 'sign' || command.kind === 'replace'
  if (isSigned && seen.status === 201) {
    const isRepeated = model.uploads.some(({ id }) => id === seen.id)
    if (isRepeated) return NOTHING
    const isEstimate = command.kind === 'sign' && (seen.size ?? 0) > (command.minSize ?? Infinity)
    // An estimate removes no trash.
    return isEstimate ? NOTHING : (seen.size ?? command.size)
  }
  if (command.kind !== 'resize' || ![200, 404, NO_RESPONSE].includes(seen.status)) return NOTHING
  const upload = findUpload(model, seen.id ?? '')
  const certain = certainSize(command, upload?.size ?? 0)
  const isEstimate = (seen.size ?? 0) > certain
  const isLarger = upload?.status === 'uploading' && certain > upload.size
  return isLarger && !isEstimate ? certain - upload.size : NOTHING
}

/** For calls that reserve nothing. They remove no trash, even if the plan was reduced below the stored bytes. */
const NOTHING = Number.NEGATIVE_INFINITY

/**
 * Only seven jobs change the model. `finishCompletions` finishes completions that have begun, even if the caller listed
 * other parts. `forgetEndedAssets` forgets ended assets. `emptyTrash` empties the trash. `continueDeletions` finishes an
 * interrupted `deleteAll`, `continueFolderMoves` interrupted moves of folders, `continueBulkJobs` interrupted changes of
 * several assets, unless another instance is making them. `computeChecksums` compares files with their declared digests,
 * unless another instance is comparing them.
 */
function afterJob(model: Model, name: JobName, concurrent: ConcurrentCalls): Model[] {
  if (name === 'forgetEndedAssets') {
    const uploads = model.uploads.map((upload): ModelUpload => {
      const { key, tokenBytes, ...rest } = upload
      const isKept = isVisible(upload) || upload.status === 'trashed'
      return isKept ? upload : { ...rest, status: 'deleted' }
    })
    return [{ ...model, uploads }]
  }
  if (name === 'emptyTrash') return [withoutTrash(model)]
  if (name === 'continueDeletions') return [finishDeletion(model)]
  if (name === 'continueFolderMoves') return [finishMoves(model)]
  if (name === 'continueBulkJobs') return [finishBulk(model), model]
  if (name === 'computeChecksums') {
    return concurrent.isAlone ? [withComparedFiles(model)] : [withComparedFiles(model), model]
  }
  if (name !== 'finishCompletions' || !concurrent.isCompleted) return [model]
  const complete = model.uploads.filter((one) => one.status === 'uploading' && hasAllParts(one))
  return [model, ...complete.map((upload) => completeUpload(model, upload))]
}

function defined(models: (Model | undefined)[]): Model[] {
  return models.filter((model) => model !== undefined)
}

/** Calls about an upload. The others are about its asset. */
const ABOUT_UPLOADS: Command['kind'][] = [
  'put',
  'putAll',
  'complete',
  'cancel',
  'resume',
  'resize',
  'expire',
]

/** The IDs in the observation of a call whose response is unknown. By default, those of the first upload. */
export function targetOf(
  model: Model,
  command: Command,
): Pick<Observation, 'id' | 'ids' | 'asset'> {
  if ('uploads' in command) {
    const uploads = command.uploads.flatMap((index) => model.uploads[index] ?? [])
    const ids = uploads.map(({ id, replaces }) => replaces ?? id)
    return { id: ids[0] ?? '', ids }
  }
  const upload = model.uploads['upload' in command ? command.upload : 0] ?? model.uploads[0]
  const asset = upload?.replaces
  // The upload of a replacement that got no response is unknown.
  if (command.kind === 'replace') return { asset: asset ?? upload?.id ?? '' }
  if (asset === undefined) return { id: upload?.id ?? '' }
  return ABOUT_UPLOADS.includes(command.kind) ? { id: upload?.id ?? '', asset } : { id: asset }
}
