import { formatSize } from '@stowage/protocol/format'
import { availableBytes, type Usage } from '../../domain/plan.ts'
import { ServiceError } from '../../errors.ts'

/** The plan does not allow this many more bytes. `demand` is a clause: "The file needs 5 GB". */
export function storageExceeded(demand: string, needed: number, usage: Usage): ServiceError {
  const available = availableBytes(usage)
  return new ServiceError(
    'storage_exceeded',
    `${demand}, but the plan has ${formatSize(available)} left. Delete files or upgrade the plan.`,
    { details: { needed, available, ...usage } },
  )
}
