import { sendLoad } from '../load/send-load.ts'
import { completeUpload, requestSession } from '../load/sessions.ts'
import { API, startStowage, watchUsage } from '../processes/servers.ts'
import { requester } from '../scaling/shop-calls.ts'
import type { Workload } from '../workload.ts'

const FILES = 20

/** A shop records each sale, and its buyers open the download page. */
export const orders: Workload = {
  title: `Orders of a product with ${FILES} files, and their download pages, on SQLite and disk, 16 clients`,
  metrics: {
    created: { title: 'Orders', unit: '/s', better: 'higher' },
    createdCpu: { title: 'CPU of the server per order', unit: 'ms', better: 'lower' },
    pages: { title: 'Download pages', unit: '/s', better: 'higher' },
    pagesCpu: { title: 'CPU of the server per page', unit: 'ms', better: 'lower' },
  },
  targets: [],
  seconds: 3,
  rounds: 5,
  async open(context) {
    const { url, pid } = await startStowage(context)
    const call = requester(url, {})
    const product = { product_id: 1, variant_id: 11, name: 'Sample pack' }
    await call('PUT', '/products', { products: [product] })
    for (let count = 0; count < FILES; count += 1) {
      const session = await requestSession(url, 1)
      for (const part of session.urls) await fetch(part.url, { method: 'PUT', body: 'x' })
      await completeUpload(url, session, [])
      await call('POST', `/assets/${session.id}/attach`, { product_ids: [1] })
    }
    const order = { lines: [{ product_id: 1 }] }
    const { data } = await call('POST', '/orders', order)
    const page = new URL(data.url).pathname

    async function measure(requests: Parameters<typeof sendLoad>[0]['requests']) {
      const load = () => sendLoad({ url, requests, seconds: context.seconds })
      const { result, cpuSeconds } = await watchUsage([pid], load)
      return { rate: result.perSecond, cpu: (cpuSeconds * 1000) / result.count }
    }

    return [
      {
        name: 'Stowage',
        async run() {
          const headers = { 'content-type': 'application/json' }
          const body = JSON.stringify(order)
          const created = await measure([{ method: 'POST', path: `${API}/orders`, headers, body }])
          const pages = await measure([{ path: page }])
          return {
            created: created.rate,
            createdCpu: created.cpu,
            pages: pages.rate,
            pagesCpu: pages.cpu,
          }
        },
      },
    ]
  },
}
