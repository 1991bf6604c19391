import { invalid, type ServiceError } from '../../errors.ts'

/** Some of the assets do not exist, or are not in a state that allows the change. */
export function unknownAssets(ids: string[]): ServiceError {
  return invalid({ ids: [`contains unknown values: ${ids.join(', ')}`] })
}
