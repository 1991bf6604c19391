import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Whether there is somebody to ask. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

export interface Question {
  /** What is typed is not shown. */
  hidden?: boolean
}

/** Asks on the terminal. Undefined when the answer was Ctrl-C or Ctrl-D. */
export async function prompt(question: string, { hidden = false }: Question = {}) {
  // With nowhere to go to, what readline echoes is seen by nobody.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = hidden ? nowhere : process.stderr
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  const gone = new AbortController()
  lines.once('SIGINT', () => gone.abort())
  lines.once('close', () => gone.abort())
  if (hidden) process.stderr.write(question)
  try {
    return await lines.question(hidden ? '' : question, { signal: gone.signal })
  } catch {
    return undefined
  } finally {
    lines.close()
    if (hidden || gone.signal.aborted) process.stderr.write('\n')
  }
}

/** Everything but a clear yes is a no. */
export async function confirm(question: string): Promise<boolean> {
  const answer = await prompt(`${question} [y/N] `)
  return /^\s*y(es)?\s*$/i.test(answer ?? '')
}
