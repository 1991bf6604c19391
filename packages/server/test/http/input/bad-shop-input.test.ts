import { test } from 'node:test'
import { refusesOn } from '../../support/refusals.ts'
import { aShopFixture, readShopState, type ShopFixture } from '../../support/shop-fixture.ts'
import { readState } from '../../support/upload-fixture.ts'
import { badKeys } from './bad-input/bad-keys.ts'
import { badLinks } from './bad-input/bad-links.ts'
import { badProducts } from './bad-input/bad-products.ts'
import { badReferences } from './bad-input/bad-references.ts'
import { badShopBodies } from './bad-input/bad-shop-bodies.ts'
import { badShopQueries } from './bad-input/bad-shop-queries.ts'
import { badUploadTokens } from './bad-input/bad-upload-tokens.ts'

const refuses = refusesOn({
  setUp: aShopFixture,
  async readState(fixture: ShopFixture) {
    return { ...(await readState(fixture)), shop: await readShopState(fixture.service.context) }
  },
})

test('an invalid link is refused and neither stored nor changed', refuses(badLinks))
test(
  'invalid products are refused together with the valid ones in the same request',
  refuses(badProducts),
)
test('invalid references are refused, and no asset is attached or detached', refuses(badReferences))
test('an invalid key is refused, and the last manage key cannot be revoked', refuses(badKeys))
test('an invalid upload token is refused', refuses(badUploadTokens))
test('an invalid query for assets or products is refused', refuses(badShopQueries))
test('an unreadable body of a link, product or key request is refused', refuses(badShopBodies))
