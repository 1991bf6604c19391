import type { Cost } from './count-cost.ts'
import type { JobRates } from './measure-jobs.ts'
import type { WriteRates } from './measure-writes.ts'
import type { Shop } from './populate.ts'

/** All results of `npm run bench:scaling`. */
export interface ScalingResults {
  small: Deployment
  large: Deployment
  writes: { name: string; rates: WriteRates }[]
  jobs: JobRates
}

/** One service with its database, and the cost of each call of two of its shops. */
export interface Deployment {
  assets: number
  accounts: number
  shops: { shop: Shop; costs: { name: string; cost: Cost }[] }[]
  tables: { name: string; rows: number; bytes: number }[]
}
