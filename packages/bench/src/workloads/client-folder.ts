import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BODY, emptyFolder, settleDisk } from '../load/transfers.ts'
import { startPeer } from '../processes/peers.ts'
import {
  BASELINE,
  buildStartProgram,
  CHECKOUTS,
  runProgram,
  startStowage,
  type Usage,
  watchUsage,
} from '../processes/servers.ts'
import type { Contender, Workload, WorkloadContext } from '../workload.ts'
import { curlFiles, startClient } from './client-upload.ts'

const FILES = 1000
const SIZE = 100_000
const CURL = 'curl to Node, file and insert'
/** As many as the other workloads with small files. */
const CURL_CONCURRENCY = 16

export const clientFolder: Workload = {
  title: 'Upload of a folder of 1,000 files of 100 kB with the CLI, on SQLite and disk',
  metrics: {
    time: { title: 'Time until all files are stored', unit: 's', better: 'lower' },
    rate: { title: 'Files', unit: '/s', better: 'higher' },
    cpu: { title: 'CPU of the client', unit: 's', better: 'lower' },
    memory: { title: 'Peak memory of the client', unit: 'MB', better: 'lower' },
  },
  targets: [
    {
      metric: 'time',
      limit: { below: 2 },
      reason: `On two cores, 2 s leave 4 ms of CPU time for each file, for the client and the server together. A file takes
        three requests (session, part, completion), where curl sends one to the minimal server. In a profile of the client,
        while other programs were running, 15 % of its busy time was spent on writing bytes to connections, 13 % on opening,
        reading and closing the files, 10 % on creating requests, 6 % on writing the state that resumes an upload after a
        crash, and 4 % on SHA-256 and CRC-32; the rest is spread over the HTTP client of Node and the client. Tried, each
        beside the client before, with the files in memory and other programs running: writing the state half as often,
        with fewer calls, and reading each file once: 2.9 instead of 6.0 s of CPU time; the same with synchronous calls for
        the state: 3.1 instead of 8.4 s. With 300 files on disk, 16 files and 12 parts at the same time instead of 8 and 4
        took 16 % less CPU time of the server; a difference in time was not visible in the noise. Not kept, because
        browsers open only 6 connections, and a part that waits for one would count as stalled. Not tried: a single
        request for a small file.`,
    },
    { metric: 'memory', limit: { below: 150 } },
  ],
  rounds: 5,
  async open(context) {
    const data = await context.folder()
    const { url } = await startStowage(context, { STOWAGE_DATA: data })
    const folder = await writeFolder(context, FILES)
    const contenders: Contender[] = []
    // An older client is measured with the server of this checkout, so that only the clients differ.
    for (const { name, program } of CHECKOUTS) {
      const built = await buildStartProgram(program)
      contenders.push({
        name: name === BASELINE ? `${BASELINE}, CLI` : 'Stowage, CLI',
        async run() {
          const metrics = await uploadFolder(context, { program: built, url, folder })
          await settleDisk(data)
          return metrics
        },
      })
    }
    const client = await startClient(context, { url })
    const stored = await context.folder()
    const bare = await startPeer(context, 'file-and-insert', {
      FOLDER: stored,
      FILE: join(await context.folder(), 'bare.db'),
    })
    return [
      ...contenders,
      {
        // In a process that is already running, and without a SHA-256, which the CLI computes of each file.
        name: 'Stowage, Node client',
        async run() {
          const upload = () => client.upload(folder.paths)
          const metrics = await timed(FILES, () => watchUsage([client.pid], upload))
          await settleDisk(data)
          return metrics
        },
      },
      {
        // One request for each file, to a program that does nothing else than to make it durable.
        name: CURL,
        async run() {
          const run = crypto.randomUUID()
          const files = folder.paths.map((path, index) => {
            return { path, url: `${bare.url}/${run}-${index}` }
          })
          const metrics = await timed(FILES, () => curlFiles(files, CURL_CONCURRENCY))
          await emptyFolder(stored)
          return metrics
        },
      },
    ]
  },
}

interface Folder {
  path: string
  paths: string[]
}

/** Writes files of 100 kB into subfolders. */
export async function writeFolder(context: WorkloadContext, count: number): Promise<Folder> {
  const path = join(await context.folder(), 'samples')
  const paths = Array.from({ length: count }, (_, index) =>
    join(path, `pack ${Math.floor(index / 100) + 1}`, `sample ${index + 1}.wav`),
  )
  for (const [index, file] of paths.entries()) {
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(file, BODY.subarray(index, index + SIZE))
  }
  await settleDisk(path)
  return { path, paths }
}

/** Runs `stowage upload` for a user who has never used it, so that no file is skipped. */
export async function uploadFolder(
  context: WorkloadContext,
  { program, url, folder }: { program: string; url: string; folder: Folder },
): Promise<Record<string, number>> {
  const env = { STOWAGE_URL: url, XDG_STATE_HOME: await context.folder() }
  const command = { command: process.execPath, args: [program, 'upload', folder.path], env }
  return timed(folder.paths.length, () => runProgram(command))
}

async function timed(count: number, work: () => Promise<Usage>): Promise<Record<string, number>> {
  const start = performance.now()
  const { cpuSeconds, peakMegabytes } = await work()
  const time = (performance.now() - start) / 1000
  return { time, rate: count / time, cpu: cpuSeconds, memory: peakMegabytes }
}
