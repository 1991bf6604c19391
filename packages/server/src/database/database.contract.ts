import { testAccounts } from './contract/accounts.ts'
import { testAssetList } from './contract/asset-list.ts'
import { testAssetSearch } from './contract/asset-search.ts'
import { testAttachmentsAndDeletion } from './contract/attachments-and-deletion.ts'
import { contractOf, type OpenDatabase } from './contract/builders.ts'
import { testBulkChanges } from './contract/bulk-changes.ts'
import { testChangingLists } from './contract/changing-lists.ts'
import { testChecksums } from './contract/checksums.ts'
import { testDeliveries } from './contract/deliveries.ts'
import { testDeliveryLog } from './contract/delivery-log.ts'
import { testEventReaders } from './contract/event-readers.ts'
import { testEvents } from './contract/events.ts'
import { testJobs } from './contract/jobs.ts'
import { testLongLists } from './contract/long-lists.ts'
import { testPaths } from './contract/paths.ts'
import { testProductSearch } from './contract/product-search.ts'
import { testProducts } from './contract/products.ts'
import { testRecords } from './contract/records.ts'
import { testReplacedFiles } from './contract/replaced-files.ts'
import { testResizing } from './contract/resizing.ts'
import { testSessions } from './contract/sessions.ts'
import { testTokenExpiry } from './contract/token-expiry.ts'
import { testTrash } from './contract/trash.ts'
import { testTrashList } from './contract/trash-list.ts'
import { testUploadList } from './contract/upload-list.ts'
import { testUploadTokens } from './contract/upload-tokens.ts'
import { testUploads } from './contract/uploads.ts'
import { testUsage } from './contract/usage.ts'
import { testVersions } from './contract/versions.ts'
import { testWebhooks } from './contract/webhooks.ts'

/** Tests what every engine promises. An engine's test opens it and runs the whole contract. */
export function testDatabaseContract(engine: string, open: OpenDatabase): void {
  const contract = contractOf(engine, open)
  testAccounts(contract)
  testSessions(contract)
  testUploads(contract)
  testUploadList(contract)
  testUploadTokens(contract)
  testTokenExpiry(contract)
  testResizing(contract)
  testJobs(contract)
  testAssetList(contract)
  testAssetSearch(contract)
  testLongLists(contract)
  testChangingLists(contract)
  testPaths(contract)
  testProducts(contract)
  testProductSearch(contract)
  testAttachmentsAndDeletion(contract)
  testRecords(contract)
  testUsage(contract)
  testVersions(contract)
  testReplacedFiles(contract)
  testTrash(contract)
  testTrashList(contract)
  testBulkChanges(contract)
  testChecksums(contract)
  testEvents(contract)
  testEventReaders(contract)
  testWebhooks(contract)
  testDeliveries(contract)
  testDeliveryLog(contract)
}
