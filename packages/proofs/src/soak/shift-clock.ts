import { readFileSync } from 'node:fs'

/*
 * Loaded before the service (`node --import`), in each of its threads. Shifts the clock by the number of
 * milliseconds in the file `CLOCK_FILE`, which the test changes during the run.
 */
const { CLOCK_FILE = '' } = process.env
const RealDate = Date
let shiftMs = 0

function read(): void {
  try {
    shiftMs = Number(readFileSync(CLOCK_FILE, 'utf8')) || 0
  } catch {
    // Not written yet.
  }
}

read()
setInterval(read, 100).unref()

globalThis.Date = class extends RealDate {
  constructor(...args: unknown[]) {
    super(...((args.length === 0 ? [RealDate.now() + shiftMs] : args) as [number]))
  }
  static override now(): number {
    return RealDate.now() + shiftMs
  }
} as DateConstructor
