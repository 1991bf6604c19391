import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openSender, type Send } from '../load/sender.ts'
import { BODY, emptyFolder, settleDisk } from '../load/transfers.ts'
import { startPeer } from '../processes/peers.ts'
import { API, CHECKOUTS, startStowage, watchUsage } from '../processes/servers.ts'
import type { Contender, Workload } from '../workload.ts'

const BARE = 'Node, file and insert'
export const CLIENTS = 16
const SIZE = 100_000

export const smallFiles: Workload = {
  title: 'Uploads of files of 100 kB on SQLite and disk, 16 clients',
  metrics: {
    rate: { title: 'Files', unit: '/s', better: 'higher' },
    cpu: { title: 'CPU of the server per file', unit: 'ms', better: 'lower' },
    memory: { title: 'Peak memory of the server', unit: 'MB', better: 'lower' },
  },
  targets: [
    {
      metric: 'rate',
      limit: { atLeast: 0.8 },
      relativeTo: { contender: BARE },
      reason: `The minimal program gets a file in one request and commits once. Here, a file takes three requests and three
        commits: the session, the begin of the completion and its end. In a profile of 1,500 files, while other programs were
        running, the thread of the service spends 28 % of its busy time on these commits, which wait for the disk, 12 % on
        reading and hashing the file, 7 % on other statements, 4 % on messages to the thread that receives the parts, 3 % on
        starting syncs of folders and 2 % on creating the folder. That thread is busy for a third as long. Done: only syncs run
        in the thread pool; folders that nothing has changed are not synced again; the first part creates the folder; and
        the completion hashes a small file, where a job needed two more commits. Not tried: syncing the log of the database
        in the thread pool, because reads would have to wait for it, too, to return nothing that a power failure can undo; a
        commit without a sync for the begin of a completion, because most of these commits are shared with others; and a
        single request for a small file.`,
    },
  ],
  seconds: 3,
  rounds: 5,
  async open(context) {
    const { send, close } = openSender(CLIENTS)
    context.defer(close)
    const { seconds } = context
    const contenders: Contender[] = []
    for (const { name, program } of CHECKOUTS) {
      const data = await context.folder()
      const { url, pid } = await startStowage(context, { STOWAGE_DATA: data }, program)
      contenders.push({
        name,
        async run() {
          const metrics = await measureFiles(pid, seconds, () => uploadSmallFile(send, url))
          await settleDisk(data)
          return metrics
        },
      })
    }
    const folder = await context.folder()
    const bare = await startPeer(context, 'file-and-insert', {
      FOLDER: folder,
      FILE: join(await context.folder(), 'bare.db'),
    })
    const put = () => send({ method: 'PUT', url: `${bare.url}/${randomUUID()}`, body: FILE })
    return [
      ...contenders,
      {
        name: BARE,
        async run() {
          const metrics = await measureFiles(bare.pid, seconds, put)
          await emptyFolder(folder)
          return metrics
        },
      },
    ]
  },
}

const FILE = BODY.subarray(0, SIZE)
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Session, one part, completion: the calls that a client makes for a small file. */
export async function uploadSmallFile(send: Send, url: string): Promise<void> {
  const call = async (path: string, body: unknown) => {
    const json = Buffer.from(JSON.stringify(body))
    const { text } = await send({
      method: 'POST',
      url: `${url}${API}${path}`,
      headers: JSON_TYPE,
      body: json,
    })
    return JSON.parse(text)
  }
  const file = { name: 'sample.wav', size: SIZE, mime: 'audio/wav' }
  const { id, upload_id, urls } = await call('/assets/signed', file)
  const { headers } = await send({ method: 'PUT', url: urls[0].url, body: FILE })
  const parts = [{ PartNumber: 1, ETag: `${headers.etag}`.replaceAll('"', '') }]
  await call(`/assets/${id}/uploaded`, { upload_id, parts })
}

/** Uploads files one after the other with each client, for the given time. */
async function measureFiles(
  pid: number,
  seconds: number,
  upload: () => Promise<unknown>,
): Promise<{ rate: number; cpu: number; memory: number }> {
  const start = performance.now()
  let count = 0
  const client = async () => {
    while (performance.now() < start + seconds * 1000) {
      await upload()
      count += 1
    }
  }
  const { cpuSeconds, peakMegabytes } = await watchUsage([pid], () =>
    Promise.all(Array.from({ length: CLIENTS }, client)),
  )
  const rate = (count * 1000) / (performance.now() - start)
  return { rate, cpu: (cpuSeconds * 1000) / count, memory: peakMegabytes }
}
