import { readFile } from 'node:fs/promises'

export interface MemoryWatch {
  /** The most bytes that were resident in any sample since the last call, and how many there were. */
  takePeak(): { peak: number; samples: number }
  close(): void
}

/** Samples the memory of a process, as Linux tells it, all the time. */
export function watchMemory(pid: number, everyMs = 50): MemoryWatch {
  let peak = 0
  let samples = 0
  const timer = setInterval(async () => {
    // Once it has ended, there is nothing to read.
    const resident = await readMemory(pid, 'VmRSS').catch(() => 0)
    peak = Math.max(peak, resident)
    samples += 1
  }, everyMs)
  return {
    takePeak() {
      const taken = { peak, samples }
      peak = 0
      samples = 0
      return taken
    },
    close: () => clearInterval(timer),
  }
}

/** In bytes. `VmHWM` is the highest that `VmRSS` ever was, also between two samples. */
export async function readMemory(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  if (kibibytes === undefined) throw new Error(`process ${pid} does not tell its ${field}`)
  return Number(kibibytes) * 1024
}
