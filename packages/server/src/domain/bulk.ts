export type BulkAction = 'delete' | 'restore' | 'attach' | 'detach' | 'tag' | 'untag' | 'move'

/** The same change for many assets. */
export interface BulkChange {
  action: BulkAction
  /** Only for `delete`: whether the assets are removed instead of moved to the trash. */
  isPermanent?: boolean
  /**
   * Whether all of its assets were in the trash, or none of them. Changes that have no effect on such assets do not change
   * those that were restored, or moved to the trash, since. Undefined: not known.
   */
  isFromTrash?: boolean
  /** The IDs of the products that are attached or detached. */
  products?: string[]
  tags?: string[]
  /** The new folder of the assets. */
  path?: string | null
}

/** An asset of a batch. What it has itself takes precedence over the change. */
export interface BulkEntry extends Pick<BulkChange, 'products' | 'tags' | 'path'> {
  id: string
  /** Moves the asset only if it is in this folder. */
  from?: string | null
}

export type BulkFailure = 'storage_exceeded' | 'assets_exceeded' | 'too_many_tags'

/** A change of all assets that matched a filter when it was requested. */
export interface BulkJob {
  id: string
  change: BulkChange
  status: 'running' | 'finished' | 'cancelled' | 'failed'
  failure: BulkFailure | null
  createdAt: Date
  finishedAt: Date | null
  /** When its result is deleted. From then on it cannot be undone. Null while it is running. */
  keptUntil: Date | null
  /** The number of assets, of those that were read, and of those that were changed. */
  total: number
  done: number
  changed: number
  /** The job that it undoes. */
  undoes: string | null
  /** The job that undoes it. */
  undoneBy: string | null
}

const OPPOSITES: Record<BulkAction, BulkAction> = {
  delete: 'restore',
  restore: 'delete',
  attach: 'detach',
  detach: 'attach',
  tag: 'untag',
  untag: 'tag',
  move: 'move',
}

/** The change that undoes this one. Undefined: nothing does. */
export function oppositeOf(change: BulkChange): BulkChange | undefined {
  if (change.action === 'delete' && change.isPermanent) return undefined
  const { isFromTrash: _, ...values } = change
  return { ...values, action: OPPOSITES[change.action] }
}

/** Whether the change has an effect on the assets that it was requested for, as they were then. */
export function isEffective({ action, isPermanent, isFromTrash }: BulkChange): boolean {
  if (isFromTrash === undefined) return true
  if (action === 'restore') return isFromTrash
  return !isFromTrash || (action === 'delete' && isPermanent === true)
}

/** The clocks of instances may differ, and what is being deleted cannot be undone any more. */
const MARGIN_MS = 60_000

/** Undefined if the job can be undone. */
export function problemWithUndoing(
  job: BulkJob,
  now: Date,
): 'running' | 'permanent' | 'unchanged' | 'forgotten' | undefined {
  if (job.status === 'running') return 'running'
  if (oppositeOf(job.change) === undefined) return 'permanent'
  if (job.changed === 0) return 'unchanged'
  const keptUntil = job.keptUntil?.getTime() ?? 0
  return keptUntil - MARGIN_MS <= now.getTime() ? 'forgotten' : undefined
}
