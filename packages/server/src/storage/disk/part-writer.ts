import { write, writeSync } from 'node:fs'

/** Writes the bytes of one part to its file, from the start. */
export interface PartWriter {
  /** The bytes may be overwritten once it returns. Throws when this write or an earlier one failed. */
  write(bytes: Uint8Array): void
  /** Waits for all writes; only then may the file be closed. Throws when one failed. */
  finish(): Promise<void>
}

/** For all parts under way together. */
const SPARE_BUFFERS = 4
const SPARE_LENGTH = 512 * 1024

/**
 * The most that one system call writes. Linux caches each write in a block of memory of about its
 * size. Large blocks are the ones that a virtual machine returns to its host when they are free,
 * and getting them back costs more than the write: 512 KiB at a time take up to twice the CPU.
 */
const WRITE_LENGTH = 64 * 1024

/**
 * Writes go to Node's thread pool while it keeps up, so that one core reads and digests while
 * another writes. Beyond that the thread writes by itself: memory stays bounded, and a pool that is
 * busy with syncs delays nobody.
 */
export function openPartWriters(): (fd: number) => PartWriter {
  const spare = Array.from({ length: SPARE_BUFFERS }, () => Buffer.allocUnsafeSlow(SPARE_LENGTH))

  return (fd) => {
    let position = 0
    let pending = 0
    let failure: Error | undefined
    let onIdle: (() => void) | undefined

    function writeInPool(buffer: Buffer<ArrayBuffer>, length: number, start: number): void {
      function next(at: number): void {
        const count = Math.min(WRITE_LENGTH, length - at)
        write(fd, buffer, at, count, start + at, (error, written) => {
          if (error === null && at + written < length) return next(at + written)
          failure ??= error ?? undefined
          spare.push(buffer)
          pending -= 1
          if (pending === 0) onIdle?.()
        })
      }
      pending += 1
      next(0)
    }

    function writeNow(bytes: Uint8Array, start: number): void {
      // A disk that is nearly full takes less than it was given, and refuses the rest.
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(fd, bytes, at, Math.min(WRITE_LENGTH, bytes.length - at), start + at)
      }
    }

    return {
      write(bytes) {
        if (failure) throw failure
        const start = position
        position += bytes.length
        const buffer = bytes.length <= SPARE_LENGTH ? spare.pop() : undefined
        if (buffer === undefined) return writeNow(bytes, start)
        buffer.set(bytes)
        writeInPool(buffer, bytes.length, start)
      },
      async finish() {
        if (pending > 0) {
          await new Promise<void>((resolve) => {
            onIdle = resolve
          })
        }
        if (failure) throw failure
      },
    }
  }
}
