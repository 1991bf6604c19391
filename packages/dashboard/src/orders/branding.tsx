import { Box, Group, Input, Stack, Text, TextInput } from '@mantine/core'
import { type Asset, type Branding, type BrandingRequest, isStowageError } from '@stowage/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { fieldProblems } from '../components/dialogs.tsx'
import { notify } from '../components/notifications.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { errorText } from '../format.ts'
import { orders } from '../i18n/en/orders.ts'
import { cached, fill } from '../i18n/texts.ts'
import { queryKeys } from '../query-keys.ts'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { AssetPicker } from './asset-picker.tsx'
import { contrastToPage, DEFAULT_COLOR, MIN_CONTROL_CONTRAST, textOn } from './contrast.ts'
import classes from './orders.module.css'

/** The settings of all download pages. */
export function BrandingSection() {
  return (
    <RequireScope scope="write">
      <Content />
    </RequireScope>
  )
}

interface LoadedBranding {
  branding: Branding
  /** Undefined if there is none, or if it was deleted. */
  logo: Asset | undefined
}

function Content() {
  const client = useClient()
  const query = useQuery({
    queryKey: queryKeys.branding(),
    async queryFn({ signal }): Promise<LoadedBranding> {
      const branding = await client.branding({ signal })
      const logo =
        branding.logo === null
          ? undefined
          : await client.asset(branding.logo, { signal }).catch(undefinedIfDeleted)
      return { branding, logo }
    },
  })
  return (
    <LoadedSection query={query} title={orders.branding.title}>
      {(loaded) => <BrandingForm key={JSON.stringify(loaded.branding)} {...loaded} />}
    </LoadedSection>
  )
}

/** Any other error must not look like a missing logo: saving would remove it. */
function undefinedIfDeleted(error: unknown): undefined {
  if (!isStowageError(error, 'not_found')) throw error
}

const COLOR = /^#[0-9a-f]{6}$/i

function BrandingForm({ branding, logo: firstLogo }: LoadedBranding) {
  const texts = orders.branding
  const client = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState(branding.name ?? '')
  const [logo, setLogo] = useState(firstLogo)
  const [color, setColor] = useState(branding.color ?? '')
  const [helpText, setHelpText] = useState(branding.help_text ?? '')
  const [helpEmail, setHelpEmail] = useState(branding.help_email ?? '')
  const [limit, setLimit] = useState(`${branding.max_downloads ?? ''}`)
  const { mutate, isPending, error } = useMutation({
    mutationFn: (changes: BrandingRequest) => client.changeBranding(changes),
    onSuccess() {
      notify({ message: texts.saved })
      return queries.invalidateQueries({ queryKey: queryKeys.branding() })
    },
    onError: (problem) =>
      notify({ isError: true, title: texts.saveFailed, message: errorText(problem) }),
  })
  const problems = fieldProblems(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate({
      name: name.trim() || null,
      logo: logo?.id ?? null,
      color: color.trim() || null,
      help_text: helpText.trim() || null,
      help_email: helpEmail.trim() || null,
      max_downloads: limit === '' ? null : Number(limit),
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack maw={560}>
        <Text size="sm" c="dimmed">
          {texts.hint}
        </Text>
        <TextInput
          label={texts.name}
          description={texts.nameHint}
          dir="auto"
          maxLength={100}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={problems.name?.join(', ')}
        />
        <AssetPicker
          label={texts.logo}
          description={texts.logoHint}
          isFirstFocused={false}
          picked={logo === undefined ? [] : [logo]}
          onPick={(picked) => setLogo(picked.at(-1))}
          error={problems.logo?.join(', ')}
        />
        <Group align="flex-end" gap="xs">
          <TextInput
            label={texts.color}
            description={fill(texts.colorHint, { example: DEFAULT_COLOR })}
            flex={1}
            maxLength={7}
            value={color}
            onChange={({ currentTarget }) => setColor(currentTarget.value)}
            error={problems.color?.join(', ')}
          />
          <input
            type="color"
            className={classes.color}
            aria-label={texts.pick}
            value={COLOR.test(color) ? color : DEFAULT_COLOR}
            onChange={({ currentTarget }) => setColor(currentTarget.value)}
          />
        </Group>
        <ColorPreview color={COLOR.test(color) ? color : DEFAULT_COLOR} />
        <Input.Wrapper
          id="help-text"
          label={texts.helpText}
          description={texts.helpTextHint}
          error={problems.help_text?.join(', ')}
        >
          <Input
            id="help-text"
            component="textarea"
            multiline
            rows={3}
            dir="auto"
            maxLength={500}
            value={helpText}
            onChange={({ currentTarget }) => setHelpText(currentTarget.value)}
          />
        </Input.Wrapper>
        <TextInput
          label={texts.helpEmail}
          type="email"
          maxLength={254}
          value={helpEmail}
          onChange={({ currentTarget }) => setHelpEmail(currentTarget.value)}
          error={problems.help_email?.join(', ')}
        />
        <TextInput
          label={texts.limit}
          description={texts.limitHint}
          type="number"
          min={1}
          max={1_000_000}
          value={limit}
          onChange={({ currentTarget }) => setLimit(currentTarget.value)}
          error={problems.max_downloads?.join(', ')}
        />
        <Group>
          <ActionButton isBusy={isPending}>{orders.save}</ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

/** A button as buyers see it. Its text is readable in every color, but a light button is hard to see. */
function ColorPreview({ color }: { color: string }) {
  const texts = orders.branding
  const text = textOn(color)
  const toPage = contrastToPage(color)
  return (
    <Group gap="sm" role="group" aria-label={texts.preview}>
      <Box className={classes.preview} style={{ background: color, color: text.color }}>
        {texts.download}
      </Box>
      <Text size="sm" c="dimmed" flex={1} miw={200} role="status">
        {fill(texts.contrast, { ratio: ratioText(text.contrast) })}{' '}
        {toPage < MIN_CONTROL_CONTRAST && fill(texts.faint, { ratio: ratioText(toPage) })}
      </Text>
    </Group>
  )
}

function ratioText(ratio: number): string {
  const create = (locale: string) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  return cached('ratio', create).format(ratio)
}
