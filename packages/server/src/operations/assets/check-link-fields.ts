import { problemWithPath } from '../../domain/asset-path.ts'
import { problemWithFilename } from '../../domain/filename.ts'
import { problemWithLinkUrl } from '../../domain/link-url.ts'
import { invalid } from '../../errors.ts'

/** Refuses an invalid name, URL or path. */
export function checkLinkFields(fields: {
  filename?: string
  url?: string
  path?: string | null | undefined
}): void {
  const problems = {
    filename: fields.filename === undefined ? undefined : problemWithFilename(fields.filename),
    url: fields.url === undefined ? undefined : problemWithLinkUrl(fields.url),
    path: fields.path == null ? undefined : problemWithPath(fields.path),
  }
  const errors = Object.entries(problems).flatMap(([field, problem]) =>
    problem === undefined ? [] : [[field, [problem]]],
  )
  if (errors.length > 0) throw invalid(Object.fromEntries(errors))
}
