import { formatSize } from '@stowage/protocol/format'
import { ServiceError } from '../../errors.ts'

/** The server’s disk does not have this many bytes free besides its reserve. */
export function storageFull(needed: number, available: number): ServiceError {
  return new ServiceError(
    'storage_full',
    `The file needs ${formatSize(needed)}, but the server’s disk has ${formatSize(available)} left. Delete files permanently, empty the trash, or free space on the server.`,
    { details: { needed, available } },
  )
}
