import { test } from 'node:test'
import { badStorageMessages } from '../http/input/bad-input/bad-messages.ts'
import { refuses } from '../support/refusals.ts'
import { badStorageRequests } from './bad-storage-requests.ts'

test(
  'the disk storage refuses URLs that it did not sign, and invalid requests',
  refuses(badStorageRequests),
)
test('the disk storage refuses malformed HTTP', refuses(badStorageMessages))
