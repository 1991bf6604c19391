import { formatSize } from '@stowage/protocol/format'
import { availableBytes, type Usage } from '../../domain/plan.ts'
import { ServiceError } from '../../errors.ts'

/** The plan has no room for this many bytes. `what` needs them: "The file needs 5 GB". */
export function storageExceeded(what: string, needed: number, usage: Usage): ServiceError {
  const available = availableBytes(usage)
  return new ServiceError(
    'storage_exceeded',
    `${what}, but the plan has ${formatSize(available)} left. Delete files or raise the plan.`,
    { details: { needed, available, ...usage } },
  )
}

/** The disk of the server has no room for this many bytes beside its reserve. */
export function storageFull(needed: number, available: number): ServiceError {
  return new ServiceError(
    'storage_full',
    `The file needs ${formatSize(needed)}, but the disk of the server has ${formatSize(available)} left. Delete files, or free space on the server.`,
    { details: { needed, available } },
  )
}
