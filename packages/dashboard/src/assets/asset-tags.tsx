import { ActionIcon, Alert, Anchor, Stack, Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useFocusHandover } from '../components/focus.ts'
import { Section } from '../components/sections.tsx'
import { errorText } from '../format.ts'
import { asset as texts } from '../i18n/en/asset.ts'
import { fill } from '../i18n/texts.ts'
import { IconX } from '../icons/icons.tsx'
import { changedBy } from '../query-keys.ts'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { assetsUrl, readAssetQuery } from './asset-query.ts'
import classes from './asset-tags.module.css'
import { TagsField } from './tags-field.tsx'

/** The tags of an asset, with controls to add and remove some. */
export function AssetTags({ asset }: { asset: Asset }) {
  const client = useClient()
  const queries = useQueryClient()
  // Adds or removes only these tags, so that a change of others meanwhile is not lost.
  const { mutate, error } = useMutation({
    mutationFn: ({ action, tags }: { action: 'tag' | 'untag'; tags: string[] }) =>
      client.bulk({ action, ids: [asset.id], tags }),
    onSettled: () => queries.invalidateQueries(changedBy('asset.updated')),
  })
  return (
    <Section title={texts.tags}>
      <Stack gap="sm">
        {asset.tags.length === 0 ? (
          <Text size="sm" c="dimmed">
            {texts.noTags}
          </Text>
        ) : (
          <ul className={classes.list}>
            {asset.tags.map((tag) => (
              <Tag key={tag} tag={tag} onRemove={() => mutate({ action: 'untag', tags: [tag] })} />
            ))}
          </ul>
        )}
        <RequireScope scope="write">
          <TagsField
            label={texts.addTags}
            value={[]}
            exclude={asset.tags}
            onChange={(tags) => mutate({ action: 'tag', tags })}
          />
        </RequireScope>
        {error !== null && (
          <Alert color="red" title={texts.tagsFailed} role="alert">
            {errorText(error)}
          </Alert>
        )}
      </Stack>
    </Section>
  )
}

/** A tag, which links to the assets that have it. */
function Tag({ tag, onRemove }: { tag: string; onRemove(): void }) {
  const item = useFocusHandover<HTMLLIElement>()
  return (
    <li ref={item} className={classes.tag}>
      <Anchor
        component={Link}
        href={assetsUrl({ ...readAssetQuery(''), tag })}
        c="inherit"
        fz="sm"
        className={classes.name}
      >
        <bdi dir="auto">{tag}</bdi>
      </Anchor>
      <RequireScope scope="write">
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          aria-label={fill(texts.removeTag, { tag })}
          onClick={onRemove}
        >
          <IconX size={14} aria-hidden />
        </ActionIcon>
      </RequireScope>
    </li>
  )
}
