import { type BulkJobRequest, endpoints } from '@stowage/protocol'
import {
  type AssetSelection,
  cancelBulk,
  getBulk,
  listBulk,
  startBulk,
  undoBulk,
} from '../../operations/bulk.ts'
import { presentBulkJob } from '../../wire/resources.ts'
import { readAssetListRequest, readBulkChange, readTrashListRequest } from '../requests.ts'
import { type RouteGroup, route } from '../route.ts'

export const bulkRoutes: RouteGroup = (app, options) => {
  const { clock } = options.context

  route(app, options, endpoints.startBulk, async ({ context, body }) => {
    const change = readBulkChange(body)
    const { filter, expected } = body
    const job = await startBulk(context, { selection: selectionOf(filter), expected }, change)
    return { data: presentBulkJob(job, clock()) }
  })

  route(app, options, endpoints.listBulk, async ({ context }) => {
    const jobs = await listBulk(context)
    return { data: jobs.map((job) => presentBulkJob(job, clock())) }
  })

  route(app, options, endpoints.readBulk, async ({ context, params }) => {
    return { data: presentBulkJob(await getBulk(context, params.id), clock()) }
  })

  route(app, options, endpoints.cancelBulk, async ({ context, params }) => {
    return { data: presentBulkJob(await cancelBulk(context, params.id), clock()) }
  })

  route(app, options, endpoints.undoBulk, async ({ context, params }) => {
    return { data: presentBulkJob(await undoBulk(context, params.id), clock()) }
  })
}

function selectionOf(filter: BulkJobRequest['filter']): AssetSelection {
  return filter.trashed === true
    ? { from: 'trash', request: readTrashListRequest(filter) }
    : { from: 'assets', request: readAssetListRequest(filter) }
}
