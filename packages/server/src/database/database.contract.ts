import { testAccounts, testSessions, testUsage } from './contract/accounts.ts'
import { testArchives } from './contract/archives.ts'
import { testAttachmentsAndDeletion } from './contract/attachments-and-deletion.ts'
import { testBackups } from './contract/backups.ts'
import { contractOf, type OpenDatabase } from './contract/builders.ts'
import { testBulkChanges } from './contract/bulk-changes.ts'
import { testBulkJobs } from './contract/bulk-jobs.ts'
import { testChecksums } from './contract/checksums.ts'
import { testDeliveries, testDeliveryLog } from './contract/deliveries.ts'
import { testEventSearch } from './contract/event-search.ts'
import { testEventReaders, testEvents } from './contract/events.ts'
import { testFolders } from './contract/folders.ts'
import { testIdempotencyKeys } from './contract/idempotency-keys.ts'
import { testJobs } from './contract/jobs.ts'
import { testAssetList, testUploadList } from './contract/lists.ts'
import { testChangingLists, testLongLists } from './contract/long-lists.ts'
import { testLongOrderLists } from './contract/long-order-lists.ts'
import { testMails } from './contract/mails.ts'
import { testNotices } from './contract/notices.ts'
import { testOperator } from './contract/operator.ts'
import { testDownloads, testOrders } from './contract/orders.ts'
import { testProductFiles } from './contract/product-files.ts'
import { testProductIdentity } from './contract/product-identity.ts'
import { testLongProductOrder, testProductOrder } from './contract/product-order.ts'
import { testProductSearch, testProducts } from './contract/products.ts'
import { testRecords } from './contract/records.ts'
import { testAssetSearch, testPaths } from './contract/search.ts'
import { testTaggedLists, testTags } from './contract/tags.ts'
import { testTrash, testTrashList } from './contract/trash.ts'
import { testTokenExpiry, testUploadTokens } from './contract/upload-tokens.ts'
import { testResizing, testUploads } from './contract/uploads.ts'
import { testReplacedFiles, testVersions } from './contract/versions.ts'
import { testWebhooks } from './contract/webhooks.ts'

/** Tests what every engine promises. An engine's test opens it and runs the whole contract, except for that of long lists. */
export function testDatabaseContract(engine: string, open: OpenDatabase): void {
  const contract = contractOf(engine, open)
  testAccounts(contract)
  testSessions(contract)
  testUploads(contract)
  testUploadList(contract)
  testUploadTokens(contract)
  testIdempotencyKeys(contract)
  testTokenExpiry(contract)
  testResizing(contract)
  testJobs(contract)
  testBackups(contract)
  testAssetList(contract)
  testAssetSearch(contract)
  testPaths(contract)
  testProducts(contract)
  testProductSearch(contract)
  testProductOrder(contract)
  testProductIdentity(contract)
  testAttachmentsAndDeletion(contract)
  testRecords(contract)
  testUsage(contract)
  testVersions(contract)
  testReplacedFiles(contract)
  testTrash(contract)
  testTrashList(contract)
  testBulkChanges(contract)
  testBulkJobs(contract)
  testProductFiles(contract)
  testFolders(contract)
  testTags(contract)
  testTaggedLists(contract)
  testChecksums(contract)
  testOperator(contract)
  testArchives(contract)
  testEvents(contract)
  testEventReaders(contract)
  testEventSearch(contract)
  testWebhooks(contract)
  testDeliveries(contract)
  testDeliveryLog(contract)
  testOrders(contract)
  testMails(contract)
  testNotices(contract)
  testDownloads(contract)
}

/**
 * The part of the contract for lists that are too long to be read in full. It compares random lists with a full scan, and
 * adds thousands of rows, so it runs with the proofs.
 */
export function testLongListContract(engine: string, open: OpenDatabase): void {
  const contract = contractOf(engine, open)
  testLongLists(contract)
  testChangingLists(contract)
  testLongProductOrder(contract)
  testLongOrderLists(contract)
}
