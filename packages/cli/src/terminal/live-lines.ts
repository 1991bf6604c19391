import { widthOf } from '../text/width.ts'

export interface LiveLines {
  /** Whether lines can be written over: on a terminal that can move its cursor. */
  readonly isLive: boolean
  columns(): number
  /** Writes these in place of the ones before. */
  show(lines: string[]): void
  /** Takes them away, so that something else can be written; `show` begins anew below it. */
  clear(): void
}

/** Lines at the end of standard error that are written over and over. */
export function openLiveLines(stream: NodeJS.WriteStream = process.stderr): LiveLines {
  const isLive = stream.isTTY === true && process.env.TERM !== 'dumb'
  const columns = () => stream.columns || 80
  let shown: string[] = []

  /** A terminal that became narrower has broken them in two. */
  function heightOfShown(): number {
    const width = columns()
    return shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / width)), 0)
  }

  function wipe(): string {
    const height = heightOfShown()
    shown = []
    return height === 0 ? '' : `\u001b[${height}A\r\u001b[J`
  }

  return {
    isLive,
    columns,
    show(lines) {
      if (!isLive) return
      const before = wipe()
      shown = lines
      stream.write(before + lines.map((line) => `${line}\n`).join(''))
    },
    clear() {
      if (isLive && shown.length > 0) stream.write(wipe())
    },
  }
}
