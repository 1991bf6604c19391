/** A system call of the service, as `strace -f -y` logs it. */
export interface SystemCall {
  name: string
  text: string
  /** The lines of the log at which it began and ended. Calls of other threads may be in between. */
  start: number
  end: number
}

/** Reads the log without the calls that failed. */
export function readTrace(log: string): SystemCall[] {
  const calls: SystemCall[] = []
  const unfinished = new Map<string, SystemCall>()
  for (const [index, line] of log.split('\n').entries()) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const begun = /^(\w+)\((.*) <unfinished \.\.\.>$/.exec(rest)
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    const whole = /^(\w+)\((.*)$/.exec(rest)
    if (begun) {
      const [, name = '', text = ''] = begun
      unfinished.set(thread, { name, text, start: index, end: index })
    } else if (resumed) {
      const call = unfinished.get(thread)
      unfinished.delete(thread)
      if (call) add({ ...call, text: call.text + (resumed[1] ?? ''), end: index })
    } else if (whole) {
      const [, name = '', text = ''] = whole
      add({ name, text, start: index, end: index })
    }
  }
  return calls.sort((a, b) => a.end - b.end)

  function add(call: SystemCall): void {
    if (!/= -1 /.test(call.text)) calls.push(call)
  }
}

/** The file or folder of the call's descriptor. */
export function descriptorPath({ text }: SystemCall): string {
  return /^\d+<([^>]*)>/.exec(text)?.[1] ?? ''
}

/** The paths that the call names. */
export function namedPaths({ text }: SystemCall): string[] {
  return Array.from(text.matchAll(/"([^"]*)"/g), ([, path = '']) => path)
}

export function isSync({ name }: SystemCall): boolean {
  return name === 'fsync' || name === 'fdatasync'
}

export function isWrite({ name }: SystemCall): boolean {
  return /^p?write(v|64|v2)?$/.test(name)
}

/** The status that the call sends to a client, if it sends the beginning of a response. */
export function responseStatus(call: SystemCall): number | undefined {
  if (!isWrite(call) && !/^send(to|msg)$/.test(call.name)) return undefined
  if (!descriptorPath(call).startsWith('socket:')) return undefined
  const status = /"HTTP\/1\.1 (\d{3}) /.exec(call.text)?.[1]
  return status === undefined ? undefined : Number(status)
}
