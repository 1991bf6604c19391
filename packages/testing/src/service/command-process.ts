import { tmpdir } from 'node:os'
import { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { CommandRequest, CommandResponse } from './stowage-command.ts'

/*
 * Runs commands of the CLI one after the other, as `runCommand` asks for them.
 */

const { run } = await import(new URL('../../../cli/src/main.ts', import.meta.url).href)

const END_TIMEOUT_MS = 10_000

/** Collects everything that is written to it. */
function openOutput() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

function replaceEnvironment(env: Record<string, string>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

/** The kinds of resources that are open now and were not open before. */
function openedSince(before: string[]): string[] {
  const known = [...before]
  return process.getActiveResourcesInfo().filter((kind) => {
    const at = known.indexOf(kind)
    if (at >= 0) known.splice(at, 1)
    return at < 0
  })
}

/**
 * Waits until the command has closed its resources, and returns those that are still open after the timeout. Resources
 * that do not keep a process running, such as idle connections, do not count.
 */
async function untilEnded(before: string[]): Promise<string[]> {
  const deadline = performance.now() + END_TIMEOUT_MS
  let open = openedSince(before)
  while (open.length > 0 && performance.now() < deadline) {
    await pause(2)
    open = openedSince(before)
  }
  return open
}

async function respond({ words, env, cwd, input }: CommandRequest): Promise<CommandResponse> {
  const before = process.getActiveResourcesInfo()
  const [stdout, stderr] = [openOutput(), openOutput()]
  const stdin = Readable.from(input.length > 0 ? [Buffer.from(input)] : [], { objectMode: false })
  const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream }
  for (const [name, value] of Object.entries(streams)) {
    Object.defineProperty(process, name, { value, configurable: true })
  }
  replaceEnvironment(env)
  process.chdir(cwd)
  let code = 1
  try {
    code = await run(words)
  } catch (error) {
    stderr.stream.write(`${inspect(error)}\n`)
  }
  const open = await untilEnded(before)
  // The test removes the folder, which some systems refuse while a process uses it.
  process.chdir(tmpdir())
  return { code, stdout: stdout.text(), stderr: stderr.text(), open }
}

process.on('message', async (request: CommandRequest) => {
  process.send?.(await respond(request))
})
