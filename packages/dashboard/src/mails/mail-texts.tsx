import {
  Box,
  Button,
  Code,
  Group,
  Input,
  NativeSelect,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import {
  isStowageError,
  type MailKind,
  type MailTexts,
  type MailTextsRequest,
  type PreviewMailRequest,
  type RenderedMail,
} from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { fieldProblems } from '../components/dialogs.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { notify } from '../components/notifications.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { errorText } from '../format.ts'
import { mails } from '../i18n/en/mails.ts'
import { cached, rich } from '../i18n/texts.ts'
import { queryKeys } from '../query-keys.ts'
import { RequireScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { MailContent } from './mail-content.tsx'
import { KINDS } from './mail-query.ts'
import classes from './mails.module.css'
import { useMailTexts } from './use-mails.ts'

/** The settings of mails: their texts by kind and language, and where replies go. */
export function MailTextsSection() {
  return (
    <RequireScope scope="manage">
      <Content />
    </RequireScope>
  )
}

function Content() {
  return (
    <LoadedSection query={useMailTexts()} title={mails.texts.title}>
      {(settings) => (
        <Stack gap="lg">
          <ReplyToForm settings={settings} />
          <TextsForm settings={settings} />
        </Stack>
      )}
    </LoadedSection>
  )
}

function useChange(onDone: () => void) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (changes: MailTextsRequest) => client.changeMailTexts(changes),
    onSuccess(changed) {
      queries.setQueryData(queryKeys.mailTexts(), changed)
      onDone()
    },
    onError: (error) => report(mails.texts.saveFailed, error),
  })
}

/** A refused value is shown at its field. */
function report(title: string, error: unknown): void {
  if (!isStowageError(error, 'invalid')) notify({ isError: true, title, message: errorText(error) })
}

function ReplyToForm({ settings }: { settings: MailTexts }) {
  const texts = mails.texts
  const [replyTo, setReplyTo] = useState(settings.reply_to ?? '')
  const { mutate, isPending, error } = useChange(() => notify({ message: texts.replyToSaved }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate({ reply_to: replyTo.trim() || null })
  }
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs" maw={560}>
        <TextInput
          label={texts.replyTo}
          description={texts.replyToHint}
          type="email"
          flex={1}
          miw={220}
          maxLength={254}
          value={replyTo}
          onChange={({ currentTarget }) => setReplyTo(currentTarget.value)}
          error={fieldProblems(error).reply_to?.join(', ')}
        />
        <ActionButton variant="default" isBusy={isPending}>
          {texts.save}
        </ActionButton>
      </Group>
    </form>
  )
}

type Language = PreviewMailRequest['language']

interface Draft {
  subject: string
  text: string
}

/** Drafts of other kinds and languages stay until the page is left. */
function TextsForm({ settings }: { settings: MailTexts }) {
  const texts = mails.texts
  const [kind, setKind] = useState<MailKind>('files_ready')
  const [language, setLanguage] = useState<Language>('en')
  const [drafts, setDrafts] = useState<Record<string, Draft>>({})
  const stored = settings.texts[kind][language]
  const name = `${kind} ${language}`
  const draft = drafts[name] ?? stored
  const { [name]: _, ...others } = drafts
  return (
    <Stack gap="md">
      <Group gap="xs">
        <NativeSelect
          label={mails.kind}
          data={KINDS.map((value) => ({ value, label: mails.kinds[value] }))}
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as MailKind)}
        />
        <NativeSelect
          label={texts.language}
          data={Object.keys(settings.texts[kind]).map((value) => ({
            value,
            label: languageName(value),
          }))}
          value={language}
          onChange={({ currentTarget }) => setLanguage(currentTarget.value as Language)}
        />
      </Group>
      <TextForm
        key={name}
        kind={kind}
        language={language}
        draft={draft}
        isOwn={!stored.is_default}
        placeholders={settings.placeholders[kind]}
        onDraft={(changed) => setDrafts({ ...others, [name]: changed })}
        onStored={() => setDrafts(others)}
      />
    </Stack>
  )
}

/** In the language of the reader: “German”, « allemand ». */
function languageName(language: string): string {
  const create = (locale: string) => new Intl.DisplayNames(locale, { type: 'language' })
  return cached('languages', create).of(language) ?? language
}

interface TextFormProps {
  kind: MailKind
  language: Language
  draft: Draft
  /** Whether the stored text differs from the standard one. */
  isOwn: boolean
  placeholders: readonly string[]
  onDraft(draft: Draft): void
  /** The draft is stored, or the standard text is. */
  onStored(): void
}

function TextForm(props: TextFormProps) {
  const { kind, language, draft, isOwn, placeholders, onDraft, onStored } = props
  const { subject, text } = draft
  const texts = mails.texts
  const client = useClient()
  const [shown, setShown] = useState<RenderedMail>()
  const change = (value: Draft | null) => ({ texts: { [kind]: { [language]: value } } })
  const save = useChange(() => {
    onStored()
    notify({ message: texts.saved })
  })
  const restore = useChange(() => {
    onStored()
    setShown(undefined)
    notify({ message: texts.restored })
  })
  const preview = useMutation({
    mutationFn: () => client.previewMail({ kind, language, subject, text }),
    onSuccess: setShown,
    onError: (error) => report(texts.previewFailed, error),
  })
  const problems = { ...problemsOf(save.error), ...problemsOf(preview.error) }
  const edit = (changes: Partial<Draft>) => {
    save.reset()
    preview.reset()
    onDraft({ subject, text, ...changes })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(change({ subject, text }))
  }
  return (
    <>
      <form onSubmit={submit}>
        <Stack gap="sm" maw={680}>
          <Text size="sm" c="dimmed">
            {rich(texts.hint, { url: <Code>{'{url}'}</Code> })} {texts.placeholdersHint}{' '}
            {isOwn && texts.isOwn}
          </Text>
          <TextInput
            label={texts.subject}
            dir="auto"
            maxLength={200}
            value={subject}
            onChange={({ currentTarget }) => edit({ subject: currentTarget.value })}
            error={problems.subject}
          />
          <Input.Wrapper id="mail-text" label={texts.text} error={problems.text}>
            <Input
              id="mail-text"
              component="textarea"
              multiline
              rows={14}
              dir="auto"
              maxLength={5000}
              value={text}
              error={problems.text}
              onChange={({ currentTarget }) => edit({ text: currentTarget.value })}
            />
          </Input.Wrapper>
          <div>
            <Text size="sm" fw={500} mb={4}>
              {texts.placeholders}
            </Text>
            <Box component="dl" className={classes.placeholders} fz="sm">
              {placeholders.map((name) => (
                <Placeholder key={name} name={name} />
              ))}
            </Box>
          </div>
          <Group gap="xs">
            <ActionButton isBusy={save.isPending}>{texts.save}</ActionButton>
            <ActionButton
              variant="default"
              isBusy={preview.isPending}
              onClick={() => preview.mutate()}
            >
              {texts.preview}
            </ActionButton>
            {isOwn && (
              <RestoreButton onClick={() => restore.isPending || restore.mutate(change(null))} />
            )}
          </Group>
        </Stack>
      </form>
      {shown !== undefined && (
        <Box component="section" aria-label={texts.preview} maw={680}>
          <MailContent content={shown} />
        </Box>
      )}
    </>
  )
}

/** Disappears when the standard text is used again. */
function RestoreButton({ onClick }: { onClick(): void }) {
  const button = useFocusHandover<HTMLButtonElement>()
  return (
    <Button ref={button} variant="subtle" color="gray" onClick={onClick}>
      {mails.texts.standard}
    </Button>
  )
}

function Placeholder({ name }: { name: string }) {
  const values: Partial<Record<string, string>> = mails.texts.values
  return (
    <>
      <dt>
        <Code>{`{${name}}`}</Code>
      </dt>
      <dd>{values[name]}</dd>
    </>
  )
}

/** The problems at the subject and the text. Those of a stored text have its path before the name of the field. */
function problemsOf(error: unknown): { subject?: string; text?: string } {
  const found = Object.entries(fieldProblems(error)).map(([path, problems]) => [
    path.split('.').at(-1),
    problems.join(', '),
  ])
  return Object.fromEntries(found)
}
