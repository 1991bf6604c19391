import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Whether the user can be prompted: both the input and the messages are on a terminal. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

interface Question {
  /** Does not show what is typed. */
  hidden?: boolean
}

/** Prompts on the terminal. Returns undefined after Ctrl-C or Ctrl-D. */
export async function prompt(question: string, { hidden = false }: Question = {}) {
  // readline echoes what is typed to its output.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = hidden ? discard : process.stderr
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  const cancelled = new AbortController()
  lines.once('SIGINT', () => cancelled.abort())
  lines.once('close', () => cancelled.abort())
  if (hidden) process.stderr.write(question)
  try {
    return await lines.question(hidden ? '' : question, { signal: cancelled.signal })
  } catch {
    return undefined
  } finally {
    lines.close()
    if (hidden || cancelled.signal.aborted) process.stderr.write('\n')
  }
}

/** Asks a yes-no question. Any answer but y or yes means no. */
export async function confirm(question: string): Promise<boolean> {
  const answer = await prompt(`${question} [y/N] `)
  return /^\s*y(es)?\s*$/i.test(answer ?? '')
}
