import type { TypeUsage } from '../../domain/usage.ts'
import type { AccountContext } from '../context.ts'

/** The bytes and assets of the account by type of file, most bytes first. */
export function readUsage({ data }: AccountContext): Promise<TypeUsage[]> {
  return data.readUsage()
}
