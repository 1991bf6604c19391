import type { Progress, Upload } from '@stowage/client'
import { writeMessage } from '../output.ts'
import { openLiveLines } from '../terminal/live-lines.ts'
import { type ProgressDetails, progressLine, progressSentence } from '../text/progress-line.ts'
import type { LocalFile } from './collect-files.ts'

/** What is seen of all uploads while they are under way. */
export interface UploadProgress {
  started(file: LocalFile, upload: Upload): void
  /** It arrived, now or before: it counts whole. It failed: not at all. It was stopped: as far as it came. */
  ended(file: LocalFile, outcome: 'arrived' | 'failed' | 'stopped'): void
  /** Writes beside the bars. */
  write(how: () => void): void
  /** How far all of it is. */
  whole(): ProgressDetails
  close(): void
}

const LIVE_EVERY_MS = 100
const PLAIN_EVERY_MS = 5_000
const MOST_LINES = 8

export function openUploadProgress(
  files: LocalFile[],
  { isQuiet }: { isQuiet: boolean },
): UploadProgress {
  const live = openLiveLines()
  const underWay = new Map<LocalFile, Upload>()
  let arrived = 0
  let bytesEnded = 0
  let total = files.reduce((sum, { size }) => sum + size, 0)

  function whole(): ProgressDetails {
    const all = [...underWay.values()].map(({ progress }) => progress)
    const bytes = bytesEnded + all.reduce((sum, progress) => sum + progress.bytes, 0)
    const rate = all.reduce((sum, progress) => sum + progress.rate, 0)
    const secondsLeft = rate > 0 ? (total - bytes) / rate : undefined
    const name = files.length === 1 ? (files[0]?.name ?? '') : `${arrived}/${files.length} files`
    return { name, bytes, total, rate, secondsLeft }
  }

  function draw(): void {
    const columns = live.columns() - 1
    const most = Math.min(MOST_LINES, Math.max(1, (process.stderr.rows || 24) - 3))
    const lines = [...underWay]
      .filter(([, { progress }]) => progress.state !== 'waiting')
      .slice(0, most)
      .map(([{ name }, { progress }]) => progressLine(factsOf(name, progress), columns))
    live.show(files.length === 1 ? lines : [...lines, progressLine(whole(), columns)])
  }

  function sayHowFar(): void {
    const problem = [...underWay.values()].find(({ progress }) => progress.problem)?.progress
    writeMessage(progressSentence({ ...whole(), remark: problem && remarkOf(problem) }))
  }

  const everyMs = live.isLive ? LIVE_EVERY_MS : PLAIN_EVERY_MS
  const timer = isQuiet ? undefined : setInterval(live.isLive ? draw : sayHowFar, everyMs)

  return {
    started: (file, upload) => underWay.set(file, upload),
    ended(file, outcome) {
      if (outcome === 'arrived') {
        arrived += 1
        bytesEnded += file.size
      } else if (outcome === 'stopped') bytesEnded += underWay.get(file)?.progress.bytes ?? 0
      else total -= file.size
      underWay.delete(file)
    },
    write(how) {
      live.clear()
      how()
    },
    whole,
    close() {
      clearInterval(timer)
      live.clear()
    },
  }
}

function factsOf(name: string, progress: Progress): ProgressDetails {
  return { ...progress, name, remark: remarkOf(progress) }
}

function remarkOf({ state, problem }: Progress): string | undefined {
  if (problem !== undefined) return `trying again: ${problem.message}`
  return state === 'finishing' ? 'finishing' : undefined
}
