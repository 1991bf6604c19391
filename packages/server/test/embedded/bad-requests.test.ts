import { test } from 'node:test'
import { badStorageMessages } from '../http/input/bad-input/bad-messages.ts'
import { refuses } from '../support/refusals.ts'
import { badStorageRequests } from './bad-storage-requests.ts'

test('the disk storage refuses what it did not sign or cannot take', refuses(badStorageRequests))
test('the disk storage refuses what is not HTTP', refuses(badStorageMessages))
