import { test } from 'node:test'
import { refuses } from '../../support/refusals.ts'
import { badBodies } from './bad-input/bad-bodies.ts'
import { badCompletions } from './bad-input/bad-completions.ts'
import { badMessages } from './bad-input/bad-messages.ts'
import { badQueries } from './bad-input/bad-queries.ts'
import { badSizes } from './bad-input/bad-sizes.ts'
import { badUploadRequests } from './bad-input/bad-upload-requests.ts'
import { badUrls } from './bad-input/bad-urls.ts'

test('an invalid upload request is refused and reserves nothing', refuses(badUploadRequests))
test('an invalid completion or cancellation is refused and ends no upload', refuses(badCompletions))
test('an invalid size for an open upload is refused and changes nothing', refuses(badSizes))
test('an unreadable body is refused', refuses(badBodies))
test('an unknown path or method is refused', refuses(badUrls))
test('an invalid query is refused', refuses(badQueries))
test(
  'malformed HTTP and requests with another Host or from another origin are refused',
  refuses(badMessages),
)
