import { readFile } from 'node:fs/promises'

interface MemoryWatch {
  /** The peak resident memory in bytes and the number of samples since the last call. */
  takePeak(): { peak: number; samples: number }
  close(): void
}

/** Samples the resident memory of a process at an interval. Linux only. */
export function watchMemory(pid: number, everyMs = 50): MemoryWatch {
  let peak = 0
  let samples = 0
  const timer = setInterval(async () => {
    // The file is gone once the process has ended.
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

/** In bytes. `VmHWM` is the peak of `VmRSS`, including peaks between two samples. */
export async function readMemory(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  if (kibibytes === undefined) throw new Error(`Process ${pid} does not report ${field}`)
  return Number(kibibytes) * 1024
}
