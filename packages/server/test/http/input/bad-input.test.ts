import { test } from 'node:test'
import { refuses } from '../../support/refusals.ts'
import { badBodies } from './bad-input/bad-bodies.ts'
import { badCompletions } from './bad-input/bad-completions.ts'
import { badMessages } from './bad-input/bad-messages.ts'
import { badQueries } from './bad-input/bad-queries.ts'
import { badSizes } from './bad-input/bad-sizes.ts'
import { badUploadRequests } from './bad-input/bad-upload-requests.ts'
import { badUrls } from './bad-input/bad-urls.ts'

test('a bad request for an upload is refused and reserves nothing', refuses(badUploadRequests))
test('a bad completion or cancel is refused and ends no upload', refuses(badCompletions))
test('a bad size for an open upload is refused and changes nothing', refuses(badSizes))
test('a body that no call can read is refused', refuses(badBodies))
test('an address or method that is none is refused', refuses(badUrls))
test('a bad query is refused', refuses(badQueries))
test('what is not HTTP, or comes from strangers, is refused', refuses(badMessages))
