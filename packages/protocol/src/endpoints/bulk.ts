import {
  BulkJobList,
  BulkJobPath,
  BulkJobRequest,
  BulkJobResponse,
  MAX_BULK_JOB_ASSETS,
  MAX_BULK_JOB_PRODUCTS,
} from '../bulk.ts'
import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import { bulkJobExample } from '../examples.ts'
import { grouped } from '../schema.ts'

export const startBulk = defineEndpoint({
  operationId: 'startBulk',
  methods: ['POST'],
  path: `${API_PREFIX}/bulk`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Change all assets that match a filter',
  description: `Changes the assets that match at the time of the call, at most ${grouped(MAX_BULK_JOB_ASSETS)}, in small steps. Assets that match later are not changed. Small changes are finished in the call. Others continue in the background: \`GET /bulk/:id\` shows their progress. Assets that are deleted meanwhile are skipped. The actions are those of \`POST /assets/bulk\`; with \`filter.trashed\`, the assets in the trash match. \`attach\` and \`detach\` take up to ${grouped(MAX_BULK_JOB_PRODUCTS)} products, with their variants. If a restoration needs more storage than the plan has, the change ends with \`status: "failed"\`. The events of all changes have the same \`call\`.`,
  body: BulkJobRequest,
  bodyExample: {
    action: 'tag',
    filter: { path: 'course' },
    expected: bulkJobExample.total,
    tags: ['autumn'],
  },
  refusesIdempotencyKey: true,
  success: {
    status: 202,
    description: 'The assets are changed, or are being changed',
    schema: BulkJobResponse,
    example: { data: bulkJobExample },
  },
  errors: ['selection_changed', 'bulk_in_progress'],
})

export const listBulk = defineEndpoint({
  operationId: 'listBulk',
  methods: ['GET'],
  path: `${API_PREFIX}/bulk`,
  tag: 'Assets',
  scope: 'read',
  summary: 'List the changes of all matches',
  description:
    'The running changes of all assets that matched a filter, and the last 50 ended ones of the last 7 days.',
  success: {
    status: 200,
    description: 'The changes',
    schema: BulkJobList,
    example: { data: [bulkJobExample] },
  },
  errors: [],
})

export const readBulk = defineEndpoint({
  operationId: 'readBulk',
  methods: ['GET'],
  path: `${API_PREFIX}/bulk/:id`,
  tag: 'Assets',
  scope: 'read',
  summary: 'View the progress of a change of all matches',
  description: 'Returns the progress. An ended change is kept for 7 days.',
  params: BulkJobPath,
  success: {
    status: 200,
    description: 'The change',
    schema: BulkJobResponse,
    example: { data: bulkJobExample },
  },
  errors: ['not_found'],
})

export const cancelBulk = defineEndpoint({
  operationId: 'cancelBulk',
  methods: ['POST'],
  path: `${API_PREFIX}/bulk/:id/cancel`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Cancel a change of all matches',
  description:
    'Leaves the remaining assets as they are. Those that are changed stay changed: `POST /bulk/:id/undo` undoes that. An ended change stays as it is.',
  params: BulkJobPath,
  success: {
    status: 200,
    description: 'The change has ended',
    schema: BulkJobResponse,
    example: {
      data: { ...bulkJobExample, status: 'cancelled', done: 400, changed: 400, skipped: 0 },
    },
  },
  errors: ['not_found'],
})

export const undoBulk = defineEndpoint({
  operationId: 'undoBulk',
  methods: ['POST'],
  path: `${API_PREFIX}/bulk/:id/undo`,
  tag: 'Assets',
  scope: 'write',
  summary: 'Undo a change of all matches',
  description:
    'Starts the opposite change for exactly those assets that were changed: deleted ones are restored, attached products are detached, added tags are removed, and moved assets return to their previous folders. What others have changed since stays. An ended change can be undone for 7 days, once; a repeated call returns the same change. A permanent deletion cannot be undone.',
  params: BulkJobPath,
  refusesIdempotencyKey: true,
  success: {
    status: 202,
    description: 'The change that undoes it',
    schema: BulkJobResponse,
    example: { data: { ...bulkJobExample, action: 'untag' } },
  },
  errors: ['not_found', 'bulk_in_progress', 'not_undoable'],
})
