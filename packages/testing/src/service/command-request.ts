/** The message from a test to the process that runs commands. */
export interface CommandRequest {
  words: string[]
  env: Record<string, string>
  cwd: string
  /** The standard input. */
  input: string | Uint8Array
}

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

export interface CommandResponse extends Outcome {
  /** The kinds of resources that the command keeps open, which would prevent the end of its own process. */
  open: string[]
}
