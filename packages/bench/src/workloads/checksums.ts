import { setTimeout as pause } from 'node:timers/promises'
import { openSender } from '../load/part-sender.ts'
import { GIBIBYTE, settleDisk } from '../load/put-files.ts'
import { storeFile } from '../load/store-file.ts'
import { CONCURRENCY, openStowageTransfer } from '../load/transfers.ts'
import { API, startStowage } from '../processes/stowage.ts'
import { watchUsage } from '../processes/usage.ts'
import type { Contender, Workload } from '../workload.ts'

const OFF = 'Stowage, checksums off'
/** The job looks for new files twice per second. */
const JOB_STARTS_MS = 700

/**
 * Just before each transfer, another file of 1 GiB is completed. With checksums on, the service reads that file during
 * the transfer.
 */
export const workload: Workload = {
  title:
    'Upload of 1 GiB in parts of 100 MB to the disk storage, while the SHA-256 of another file is computed',
  metrics: {
    rate: { title: 'Received', unit: 'MB/s', better: 'higher' },
    cpu: { title: 'CPU of the server', unit: 's', better: 'lower' },
  },
  targets: [{ metric: 'rate', limit: { atLeast: 0.95 }, relativeTo: { contender: OFF } }],
  rounds: 5,
  async open(context) {
    const { send, close } = openSender(CONCURRENCY)
    context.defer(close)

    async function contender(name: string, checksums: 'on' | 'off'): Promise<Contender> {
      const data = await context.folder()
      const settings = { STOWAGE_DATA: data, STOWAGE_CHECKSUMS: checksums, STOWAGE_TRASH_FOR: '0' }
      const { url, pid } = await startStowage(context, settings)
      async function run() {
        const id = await storeFile(send, url)
        const transfer = await openStowageTransfer(send, url, data)
        await settleDisk(data)
        await pause(JOB_STARTS_MS)
        const start = performance.now()
        const { cpuSeconds } = await watchUsage([pid], transfer.send)
        const seconds = (performance.now() - start) / 1000
        await transfer.cleanUp()
        if (checksums === 'on') await untilVerified(url, id)
        await fetch(`${url}${API}/assets/${id}`, { method: 'DELETE' })
        await settleDisk(data)
        return { rate: GIBIBYTE / 1e6 / seconds, cpu: cpuSeconds }
      }
      return { name, run }
    }
    return [await contender('Stowage', 'on'), await contender(OFF, 'off')]
  },
}

/** Waits, so that the job does not run while the next contender is measured. */
async function untilVerified(url: string, id: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}${API}/assets/${id}`)
    const { data } = (await response.json()) as { data: { checksum: unknown } }
    if (data.checksum !== null) return
    await pause(100)
  }
}
