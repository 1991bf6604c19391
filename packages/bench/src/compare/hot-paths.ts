import { CATALOG_SETTINGS } from '../catalog/filled.ts'
import { expectTotal } from '../catalog/lists.ts'
import { countWithProductWord, PRODUCT_WORD, RARE, RARE_COUNT } from '../catalog/records.ts'
import { receive } from '../load/receiver.ts'
import { sendLoad } from '../load/send-load.ts'
import { openSender } from '../load/sender.ts'
import { sessionRequest } from '../load/sessions.ts'
import {
  CONCURRENCY,
  openStowageTransfer,
  settleDisk,
  storeFile,
  untilVerified,
} from '../load/transfers.ts'
import { API, buildStartProgram, serveCommand, startStowage } from '../processes/servers.ts'
import { openContext, type WorkloadContext } from '../workload.ts'
import { completionsPerSecond } from '../workloads/changes.ts'
import { downloadUrl, receiveRanges } from '../workloads/download.ts'
import { commonTerms } from '../workloads/search.ts'
import { CLIENTS, measureFiles, uploadSmallFile } from '../workloads/small-files.ts'
import { timeStart } from '../workloads/start.ts'
import type { Checkout } from './checkout.ts'

/** A task that is so frequent, or that people wait for so often, that it must not become slower. */
export interface HotPath {
  name: string
  unit: string
  better: 'higher' | 'lower'
  /** Starts the service of a checkout. Returns a function that measures it once. */
  open(context: WorkloadContext, checkout: Checkout): Promise<() => Promise<number>>
}

const SECONDS = 1
const COMPLETIONS = 160
const TRANSFER = 256_000_000
const ASSETS = 100_000
const TERMS = 4

export const HOT_PATHS: HotPath[] = [
  {
    name: 'sessions',
    unit: '/s',
    better: 'higher',
    async open(context, { program }) {
      const { url } = await startStowage(context, {}, program)
      const load = { url, requests: [sessionRequest()], seconds: SECONDS }
      return async () => (await sendLoad(load)).perSecond
    },
  },
  {
    name: 'completions',
    unit: '/s',
    better: 'higher',
    async open(context, { program }) {
      const { url } = await startStowage(context, {}, program)
      const { send, close } = openSender(CLIENTS)
      context.defer(close)
      return () => completionsPerSecond(send, url, COMPLETIONS)
    },
  },
  {
    name: 'parts',
    unit: 'MB/s',
    better: 'higher',
    async open(context, { program }) {
      const data = await context.folder()
      const { url } = await startStowage(context, { STOWAGE_DATA: data }, program)
      const { send, close } = openSender(CONCURRENCY)
      context.defer(close)
      return async () => {
        const transfer = await openStowageTransfer(send, url, data, TRANSFER)
        const time = await timeOf(transfer.send)
        await transfer.cleanUp()
        return TRANSFER / 1e3 / time
      }
    },
  },
  {
    name: 'list',
    unit: '/s',
    better: 'higher',
    async open(context, checkout) {
      const url = await startFilled(context, checkout)
      const load = { url, requests: [{ path: `${API}/assets` }], seconds: SECONDS }
      return async () => (await sendLoad(load)).perSecond
    },
  },
  {
    name: 'search',
    unit: 'ms',
    better: 'lower',
    async open(_context, checkout) {
      return async () => {
        // A new service with a new database, so that nothing is cached.
        const fresh = openContext(SECONDS)
        try {
          const url = await startFilled(fresh, checkout)
          await expectTotal(url, `search=${RARE}`, RARE_COUNT)
          return await timeOf(() => searchForTerms(url))
        } finally {
          await fresh.close()
        }
      }
    },
  },
  {
    name: 'download',
    unit: 'MB/s',
    better: 'higher',
    async open(context, checkout) {
      const url = await startWithFile(context, checkout)
      const whole = { status: 200, length: TRANSFER }
      return async () => TRANSFER / 1e3 / (await timeOf(() => receive(url, whole)))
    },
  },
  {
    name: 'download in 8 ranges',
    unit: 'MB/s',
    better: 'higher',
    async open(context, checkout) {
      const url = await startWithFile(context, checkout)
      return async () => TRANSFER / 1e3 / (await timeOf(() => receiveRanges(url, TRANSFER)))
    },
  },
  {
    name: 'small files',
    unit: '/s',
    better: 'higher',
    async open(context, { program }) {
      const { url, pid } = await startStowage(context, {}, program)
      const { send, close } = openSender(CLIENTS)
      context.defer(close)
      const upload = () => uploadSmallFile(send, url)
      return async () => (await measureFiles(pid, SECONDS, upload)).rate
    },
  },
  {
    name: 'start',
    unit: 'ms',
    better: 'lower',
    async open(context, { program }) {
      const settings = { STOWAGE_DATA: await context.folder() }
      const command = serveCommand(settings, await buildStartProgram(program))
      return async () => (await timeStart(command)).time
    },
  },
]

async function startFilled(context: WorkloadContext, checkout: Checkout): Promise<string> {
  const folder = await context.folder()
  await checkout.copyFilled(folder, ASSETS)
  const settings = { ...CATALOG_SETTINGS, STOWAGE_DATA: folder }
  return (await startStowage(context, settings, checkout.program)).url
}

/** Searches for words that all names have, alone and together with a word of products. */
async function searchForTerms(url: string): Promise<void> {
  for (const term of commonTerms().take(TERMS)) {
    await expectTotal(url, `search=${term}`, ASSETS)
    await expectTotal(url, `search=${PRODUCT_WORD}+${term}`, countWithProductWord(ASSETS))
  }
}

/** Starts the service with one file that it has verified, and returns the URL of its download. */
async function startWithFile(context: WorkloadContext, { program }: Checkout): Promise<string> {
  const data = await context.folder()
  const { url } = await startStowage(context, { STOWAGE_DATA: data }, program)
  const { send, close } = openSender(CONCURRENCY)
  context.defer(close)
  const id = await storeFile(send, url, TRANSFER)
  await untilVerified(url, id)
  await settleDisk(data)
  return downloadUrl(url, id)
}

/** The duration in milliseconds. */
async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
