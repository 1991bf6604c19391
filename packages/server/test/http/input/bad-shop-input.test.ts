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

const refuses = refusesOn({
  setUp: aShopFixture,
  async readState(fixture: ShopFixture) {
    return { ...(await readState(fixture)), shop: await readShopState(fixture.service.context) }
  },
})

test('a bad link is refused and neither stored nor changed', refuses(badLinks))
test('bad products are refused, and the good ones beside them', refuses(badProducts))
test('bad references link and unlink nothing', refuses(badReferences))
test('a bad key is refused, and the last manage key stays', refuses(badKeys))
test('a bad query for assets or products is refused', refuses(badShopQueries))
test('a body that no new call can read is refused', refuses(badShopBodies))
