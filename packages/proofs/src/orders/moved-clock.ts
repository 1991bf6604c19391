import type { TestContext } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'

/**
 * Until the end of the test, shifts the clock of this process, which is that of the service, of SQLite and of the disk
 * storage. It is read at each use.
 */
export function moveClock(t: TestContext, shiftMs: () => number): void {
  const RealDate = Date
  cleanUp(t, () => {
    globalThis.Date = RealDate
  })
  globalThis.Date = class extends RealDate {
    constructor(...args: unknown[]) {
      super(...((args.length === 0 ? [RealDate.now() + shiftMs()] : args) as [number]))
    }
    static override now(): number {
      return RealDate.now() + shiftMs()
    }
  } as DateConstructor
}
