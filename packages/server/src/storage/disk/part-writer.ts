import { write, writeSync } from 'node:fs'

/** Writes the bytes of one part to its file, from the start. */
export interface PartWriter {
  /** The bytes may be overwritten once it returns. Throws if this write or an earlier one failed. */
  write(bytes: Uint8Array): void
  /** Waits for all writes. Close the file only after that. Throws if a write failed. */
  finish(): Promise<void>
}

/** How many buffers all transfers share. */
const SPARE_BUFFERS = 4
const SPARE_LENGTH = 512 * 1024

/**
 * The maximum number of bytes of one system call. Linux caches each write in a memory block of about its size. A
 * virtual machine returns large free blocks to its host, and getting them back costs more than the
 * write: writes of 512 KiB use up to twice the CPU.
 */
const WRITE_LENGTH = 64 * 1024

/**
 * Writes in Node's thread pool while it keeps up, so that one core reads and computes digests while
 * another writes. If it does not keep up, this thread writes synchronously: memory stays bounded, and
 * a pool that is busy with syncs delays no part.
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

    function writeSynchronously(bytes: Uint8Array, start: number): void {
      // A nearly full disk writes fewer bytes than given, and refuses the rest.
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
        if (buffer === undefined) return writeSynchronously(bytes, start)
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
