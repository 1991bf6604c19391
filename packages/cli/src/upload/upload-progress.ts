import type { Progress, Upload } from '@stowage/client'
import { writeMessage } from '../output.ts'
import { openLiveLines } from '../terminal/live-lines.ts'
import { type ProgressDetails, progressLine, progressSentence } from '../terminal/progress-line.ts'
import type { LocalFile } from './files.ts'

/** Shows the progress of all uploads: bars on a terminal, a line every few seconds elsewhere. */
interface UploadProgress {
  start(file: LocalFile, upload: Upload): void
  /** A completed file counts fully, a stopped one as far as it was sent, a failed one not at all. */
  end(file: LocalFile, outcome: 'completed' | 'failed' | 'stopped'): void
  /** Clears the bars, then calls the function, which writes other output. */
  write(writeOutput: () => void): void
  /** The progress of all files together. */
  summary(): ProgressDetails
  close(): void
}

const MAX_LINES = 8

export function openUploadProgress(
  files: LocalFile[],
  options: { quiet: boolean },
): UploadProgress {
  const live = openLiveLines()
  const running = new Map<LocalFile, Upload>()
  let completed = 0
  let bytesEnded = 0
  let total = files.reduce((sum, { size }) => sum + size, 0)

  function summary(): ProgressDetails {
    const all = [...running.values()].map(({ progress }) => progress)
    const bytes = bytesEnded + all.reduce((sum, progress) => sum + progress.bytes, 0)
    const rate = all.reduce((sum, progress) => sum + progress.rate, 0)
    const secondsLeft = rate > 0 ? (total - bytes) / rate : undefined
    const name = files.length === 1 ? (files[0]?.name ?? '') : `${completed}/${files.length} files`
    return { name, bytes, total, rate, secondsLeft }
  }

  function draw(): void {
    const columns = live.columns() - 1
    const maxLines = Math.min(MAX_LINES, Math.max(1, (process.stderr.rows || 24) - 3))
    const lines = [...running]
      .filter(([, { progress }]) => files.length === 1 || progress.state !== 'waiting')
      .slice(0, maxLines)
      .map(([file, { progress }]) => progressLine(detailsOf(file, progress), columns))
    live.show(files.length === 1 ? lines : [...lines, progressLine(summary(), columns)])
  }

  function log(): void {
    const failing = [...running.values()].find(({ progress }) => progress.problem)?.progress
    writeMessage(progressSentence({ ...summary(), note: failing && noteOf(failing) }))
  }

  const timer = options.quiet ? undefined : setInterval(live.isLive ? draw : log, live.intervalMs)

  return {
    start: (file, upload) => running.set(file, upload),
    end(file, outcome) {
      if (outcome === 'completed') {
        completed += 1
        bytesEnded += file.size
      } else if (outcome === 'stopped') bytesEnded += running.get(file)?.progress.bytes ?? 0
      else total -= file.size
      running.delete(file)
    },
    write(writeOutput) {
      live.clear()
      writeOutput()
    },
    summary,
    close() {
      clearInterval(timer)
      live.clear()
    },
  }
}

function detailsOf({ name, size }: LocalFile, progress: Progress): ProgressDetails {
  const total = progress.state === 'waiting' ? size : progress.total
  return { ...progress, total, name, note: noteOf(progress) }
}

function noteOf({ state, problem }: Progress): string | undefined {
  if (problem !== undefined) return `retrying: ${problem.message}`
  // The SHA-256 of a large file takes a while, and is declared before the first byte is sent.
  if (state === 'waiting') return 'reading the file'
  return state === 'finishing' ? 'finishing' : undefined
}
