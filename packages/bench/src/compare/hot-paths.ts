import { CATALOG_SETTINGS } from '../catalog/filled.ts'
import { expectTotal } from '../catalog/lists.ts'
import { countWithProductWord, PRODUCT_WORD, RARE, RARE_COUNT } from '../catalog/records.ts'
import { receive } from '../load/receiver.ts'
import { type Request, sendAmount } from '../load/send-load.ts'
import { inParallel, openSender, type Send } from '../load/sender.ts'
import { sessionRequest } from '../load/sessions.ts'
import {
  CONCURRENCY,
  openStowageTransfer,
  settleDisk,
  storeFile,
  untilVerified,
} from '../load/transfers.ts'
import {
  API,
  buildStartProgram,
  type ServerProcess,
  serveCommand,
  startStowage,
  watchUsage,
} from '../processes/servers.ts'
import { openContext, type WorkloadContext } from '../workload.ts'
import { measureCompletions } from '../workloads/changes.ts'
import { downloadUrl, receiveRanges } from '../workloads/download.ts'
import { commonTerms } from '../workloads/search.ts'
import { CLIENTS, uploadSmallFile } from '../workloads/small-files.ts'
import { timeStart } from '../workloads/start.ts'
import type { Checkout } from './checkout.ts'

/** A task that is so frequent, or that people wait for so often, that it must not become slower. */
export interface HotPath {
  name: string
  unit: string
  better: 'higher' | 'lower'
  /** Starts the service of a checkout. Returns a function that measures it once. */
  open(context: WorkloadContext, checkout: Checkout): Promise<() => Promise<Measured>>
}

/** Each run does the same work, so that the CPU times of two runs can be compared. */
export interface Measured {
  /** In the unit of the path. */
  value: number
  /** The CPU time of the service. */
  cpuSeconds: number
}

const SESSIONS = 800
const LISTS = 1500
const COMPLETIONS = 160
const SMALL_FILES = 160
const TRANSFER = 256_000_000
const ASSETS = 100_000
const TERMS = 4

export const HOT_PATHS: HotPath[] = [
  {
    name: 'sessions',
    unit: '/s',
    better: 'higher',
    async open(context, { program }) {
      const server = await startStowage(context, {}, program)
      return () => measureRequests(server, sessionRequest(), SESSIONS)
    },
  },
  {
    name: 'completions',
    unit: '/s',
    better: 'higher',
    async open(context, { program }) {
      const server = await startStowage(context, {}, program)
      const send = senderOf(context, CLIENTS)
      return async () => {
        const { perSecond, cpuSeconds } = await measureCompletions(send, server, COMPLETIONS)
        return { value: perSecond, cpuSeconds }
      }
    },
  },
  {
    name: 'parts',
    unit: 'MB/s',
    better: 'higher',
    async open(context, { program }) {
      const data = await context.folder()
      const { url, pid } = await startStowage(context, { STOWAGE_DATA: data }, program)
      const send = senderOf(context, CONCURRENCY)
      return async () => {
        const transfer = await openStowageTransfer(send, url, data, TRANSFER)
        const measured = await measureTransfer(pid, transfer.send)
        await transfer.cleanUp()
        return measured
      }
    },
  },
  {
    name: 'list',
    unit: '/s',
    better: 'higher',
    async open(context, checkout) {
      const server = await startFilled(context, checkout)
      return () => measureRequests(server, { path: `${API}/assets` }, LISTS)
    },
  },
  {
    name: 'search',
    unit: 'ms',
    better: 'lower',
    async open(_context, checkout) {
      return async () => {
        // A new service with a new database, so that nothing is cached.
        const fresh = openContext(1)
        try {
          const { url, pid } = await startFilled(fresh, checkout)
          await expectTotal(url, `search=${RARE}`, RARE_COUNT)
          const { ms, cpuSeconds } = await watch(pid, () => searchForTerms(url))
          return { value: ms, cpuSeconds }
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
      const { url, pid } = await startWithFile(context, checkout)
      const whole = { status: 200, length: TRANSFER }
      return () => measureTransfer(pid, () => receive(url, whole))
    },
  },
  {
    name: 'download in 8 ranges',
    unit: 'MB/s',
    better: 'higher',
    async open(context, checkout) {
      const { url, pid } = await startWithFile(context, checkout)
      return () => measureTransfer(pid, () => receiveRanges(url, TRANSFER))
    },
  },
  {
    name: 'small files',
    unit: '/s',
    better: 'higher',
    async open(context, { program }) {
      const { url, pid } = await startStowage(context, {}, program)
      const send = senderOf(context, CLIENTS)
      const uploads = Array.from({ length: SMALL_FILES }, () => () => uploadSmallFile(send, url))
      return async () => {
        const { ms, cpuSeconds } = await watch(pid, () => inParallel(CLIENTS, uploads))
        return { value: (SMALL_FILES * 1000) / ms, cpuSeconds }
      }
    },
  },
  {
    name: 'start',
    unit: 'ms',
    better: 'lower',
    async open(context, { program }) {
      const settings = { STOWAGE_DATA: await context.folder() }
      const command = serveCommand(settings, await buildStartProgram(program))
      return async () => {
        const { time, cpu } = await timeStart(command)
        return { value: time, cpuSeconds: cpu / 1000 }
      }
    },
  },
]

async function measureRequests(
  { url, pid }: ServerProcess,
  request: Request,
  amount: number,
): Promise<Measured> {
  const { result, cpuSeconds } = await watchUsage([pid], () =>
    sendAmount({ url, requests: [request], amount }),
  )
  return { value: result.perSecond, cpuSeconds }
}

async function measureTransfer(pid: number, transfer: () => Promise<void>): Promise<Measured> {
  const { ms, cpuSeconds } = await watch(pid, transfer)
  return { value: TRANSFER / 1e3 / ms, cpuSeconds }
}

async function watch(pid: number, work: () => Promise<void>) {
  const start = performance.now()
  const { cpuSeconds } = await watchUsage([pid], work)
  return { ms: performance.now() - start, cpuSeconds }
}

function senderOf(context: WorkloadContext, concurrency: number): Send {
  const { send, close } = openSender(concurrency)
  context.defer(close)
  return send
}

async function startFilled(context: WorkloadContext, checkout: Checkout): Promise<ServerProcess> {
  const folder = await context.folder()
  await checkout.copyFilled(folder, ASSETS)
  const settings = { ...CATALOG_SETTINGS, STOWAGE_DATA: folder }
  return startStowage(context, settings, checkout.program)
}

/** Searches for words that all names have, alone and together with a word of products. */
async function searchForTerms(url: string): Promise<void> {
  for (const term of commonTerms().take(TERMS)) {
    await expectTotal(url, `search=${term}`, ASSETS)
    await expectTotal(url, `search=${PRODUCT_WORD}+${term}`, countWithProductWord(ASSETS))
  }
}

/** Starts the service with one file that it has verified. `url` is that of the download. */
async function startWithFile(
  context: WorkloadContext,
  { program }: Checkout,
): Promise<ServerProcess> {
  const data = await context.folder()
  const server = await startStowage(context, { STOWAGE_DATA: data }, program)
  const { url } = server
  const send = senderOf(context, CONCURRENCY)
  const id = await storeFile(send, url, TRANSFER)
  await untilVerified(url, id)
  await settleDisk(data)
  return { ...server, url: await downloadUrl(url, id) }
}
