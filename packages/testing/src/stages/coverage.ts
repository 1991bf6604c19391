import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/*
 * Sums up which lines ran, in all processes that had NODE_V8_COVERAGE set to the same folder: the tests, and the
 * services and commands that they started. A process that is killed writes nothing. node:test would print a report for
 * each of its processes instead of one for all.
 */

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
/** The dashboard runs in a browser, and the other packages are tests or tools. */
const SOURCES = 'packages/{protocol,client,server,cli}/src/**/*.ts'
const OF_TESTS = /\.(test|contract)\.ts$|\/contract\//
const NO_CODE = /^\s*($|\/\/|\/?\*)/
const LISTED_FILES = 15

interface ScriptCoverage {
  url: string
  functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[]
}

interface FileCoverage {
  path: string
  lines: number
  covered: number
}

/** A table of the packages, and the files with the most lines that never ran. */
export function summarizeCoverage(folder: string): string {
  const paths = globSync(SOURCES, { cwd: ROOT })
    .map((native) => native.replaceAll(sep, '/'))
    .filter((path) => !OF_TESTS.test(path))
  const ran = readRanges(folder, new Set(paths.map(urlOf)))
  const files = paths.map((path) => countLines(path, ran.get(urlOf(path))))
  const packages = Map.groupBy(files, ({ path }) => path.split('/').slice(0, 2).join('/'))
  const missed = (file: FileCoverage) => file.lines - file.covered
  const leastCovered = files.toSorted((a, b) => missed(b) - missed(a)).slice(0, LISTED_FILES)
  return [
    'Lines that ran',
    ...[...packages].map(([name, own]) => row(name, own)),
    row('all', files),
    '',
    'Files with the most lines that never ran',
    ...leastCovered.map((file) => `${String(missed(file)).padStart(6)}  ${file.path}`),
  ].join('\n')
}

const urlOf = (path: string) => pathToFileURL(join(ROOT, path)).href

function row(name: string, files: FileCoverage[]): string {
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  const covered = files.reduce((sum, file) => sum + file.covered, 0)
  const share = ((100 * covered) / lines).toFixed(1)
  return `${share.padStart(6)} %  ${name}: ${covered} of ${lines} lines in ${files.length} files`
}

/** For each script, the characters that ran in any process. */
function readRanges(folder: string, urls: Set<string>): Map<string, Uint8Array> {
  const all = new Map<string, Uint8Array>()
  for (const name of readdirSync(folder)) {
    const { result }: { result: ScriptCoverage[] } = JSON.parse(
      readFileSync(join(folder, name), 'utf8'),
    )
    for (const { url, functions } of result.filter((script) => urls.has(script.url))) {
      const length = Math.max(...functions.map(({ ranges }) => ranges[0]?.endOffset ?? 0))
      const ran = new Uint8Array(length)
      // Functions and their blocks are listed from the outside to the inside: the innermost count is the last one.
      for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
        ran.fill(count > 0 ? 1 : 0, startOffset, endOffset)
      }
      const before = all.get(url)
      for (let at = 0; before !== undefined && at < length; at += 1) ran[at] ||= before[at] ?? 0
      all.set(url, ran)
    }
  }
  return all
}

/** A line ran if all of its characters did, except for spaces. Lines without code are not counted. */
function countLines(path: string, ran: Uint8Array | undefined): FileCoverage {
  const file = { path, lines: 0, covered: 0 }
  let start = 0
  for (const line of readFileSync(join(ROOT, path), 'utf8').split('\n')) {
    if (!NO_CODE.test(line)) {
      file.lines += 1
      const first = start + line.search(/\S/)
      if (ran?.subarray(first, start + line.trimEnd().length).every(Boolean)) file.covered += 1
    }
    start += line.length + 1
  }
  return file
}
