import {
  Alert,
  Anchor,
  Box,
  Button,
  Code,
  Group,
  NativeSelect,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Mail, MailTexts } from '@stowage/client'
import { useMutation } from '@tanstack/react-query'
import { memo, useState } from 'react'
import { Link } from 'wouter'
import { Dialog, DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { FilterPill, useUrlQuery } from '../components/filters.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { useExistingPage, useRestoredScroll } from '../components/list-position.tsx'
import { ListTable, PageLinks, ResultCount } from '../components/lists.tsx'
import { useTitle } from '../components/page.tsx'
import { EmptyState, ErrorAlert, NoMatch } from '../components/page-states.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { problemText } from '../i18n/api-texts.ts'
import { mails as texts } from '../i18n/en/mails.ts'
import { useLanguage } from '../i18n/language.ts'
import { rich } from '../i18n/texts.ts'
import { IconMail } from '../icons/icons.tsx'
import { RequireScope, useHasScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { KINDS, type MailQuery, mailsUrl, NO_FILTERS, readMailQuery, STATES } from './mail-query.ts'
import { MailState } from './mail-values.tsx'
import { useMailPage, useMailTexts } from './use-mails.ts'

/** The outbox: the mails to buyers, and whether they are sent. */
export function MailsPage() {
  useTitle(texts.title)
  const { query, change } = useUrlQuery(readMailQuery, mailsUrl)
  const { data, error, isPlaceholderData, refetch } = useMailPage(query)
  const settings = useMailTexts().data
  const total = data?.meta.total
  const isFiltered = [query.state, query.kind, query.order, query.notice].some(Boolean)

  useExistingPage(query.page, { data, isPlaceholderData }, change)

  useRestoredScroll('/mails', data !== undefined)

  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          {texts.title}
        </Title>
        {settings?.sending === 'smtp' && (
          <RequireScope scope="manage">
            <TestMail />
          </RequireScope>
        )}
      </Group>
      {settings !== undefined && <Sender settings={settings} />}
      {(total !== 0 || isFiltered) && <MailFilters query={query} change={change} />}
      <ResultCount
        total={isPlaceholderData ? undefined : total}
        noun="mails"
        isFiltered={isFiltered}
        isExact={data?.meta.total_is_exact ?? true}
      />
      {error !== null && (
        <ErrorAlert title={texts.loadFailed} error={error} onRetry={() => void refetch()} />
      )}
      {error === null && total === 0 && isFiltered && (
        <NoMatch title={texts.noMatch} onClear={() => change(NO_FILTERS)} />
      )}
      {error === null && total === 0 && !isFiltered && (
        <EmptyState Icon={IconMail} color="dimmed" title={texts.none}>
          <Text c="dimmed">{texts.noneHint}</Text>
        </EmptyState>
      )}
      {error === null && total !== 0 && (
        <MailTable mails={data?.data} isStale={isPlaceholderData} />
      )}
      {data !== undefined && total !== 0 && error === null && (
        <PageLinks
          label={texts.pages}
          current={query.page}
          meta={data.meta}
          hrefOf={(page) => mailsUrl({ ...query, page })}
        />
      )}
    </Stack>
  )
}

/** Whether mails are sent, and by which address. */
function Sender({ settings: { sending, from } }: { settings: MailTexts }) {
  if (sending === 'smtp') {
    return (
      <Text size="sm" c="dimmed" mt={-8}>
        {rich(texts.sender, { address: <bdi>{from}</bdi> })}
      </Text>
    )
  }
  const names = { url: <Code>STOWAGE_SMTP_URL</Code>, from: <Code>STOWAGE_MAIL_FROM</Code> }
  return (
    <Alert color={sending === 'outbox' ? 'cyan' : 'orange'} title={texts.noServer}>
      {rich(sending === 'outbox' ? texts.outboxHint : texts.offHint, names)}
    </Alert>
  )
}

interface MailFiltersProps {
  query: MailQuery
  change(changes: Partial<MailQuery>): void
}

function MailFilters({ query, change }: MailFiltersProps) {
  const { state, kind, order, notice } = query
  return (
    <Group gap="sm" component="search">
      <NativeSelect
        aria-label={texts.state}
        data={[
          { value: '', label: texts.allStates },
          ...STATES.map((value) => ({ value, label: texts.states[value] })),
        ]}
        value={state}
        onChange={({ currentTarget }) =>
          change({ state: currentTarget.value as MailQuery['state'] })
        }
      />
      <NativeSelect
        aria-label={texts.kind}
        data={[
          { value: '', label: texts.allKinds },
          ...KINDS.map((value) => ({ value, label: texts.kinds[value] })),
        ]}
        value={kind}
        onChange={({ currentTarget }) => change({ kind: currentTarget.value as MailQuery['kind'] })}
      />
      {(order !== '' || notice !== '') && (
        <FilterPill
          label={texts.only}
          clearLabel={texts.clearFilter}
          onClear={() => change({ order: '', notice: '' })}
        >
          {order === '' ? texts.ofNotice : texts.ofOrder}
        </FilterPill>
      )}
    </Group>
  )
}

interface MailTableProps {
  /** Undefined while the first page is loading. */
  mails: readonly Mail[] | undefined
  isStale: boolean
}

function MailTable({ mails, isStale }: MailTableProps) {
  // Their content has the URL of the download page, so a key that only reads does not get it.
  const canOpen = useHasScope('write')
  return (
    <ListTable
      items={mails}
      isStale={isStale}
      head={
        <>
          <Table.Th>{texts.recipient}</Table.Th>
          <Table.Th visibleFrom="sm">{texts.kind}</Table.Th>
          <Table.Th>{texts.state}</Table.Th>
          <Table.Th visibleFrom="sm">{texts.created}</Table.Th>
        </>
      }
      row={(mail) => <MailRow key={mail.id} mail={mail} canOpen={canOpen} />}
    />
  )
}

/** On a phone, the kind and the time are below the recipient. */
const MailRow = memo(function MailRow({ mail, canOpen }: { mail: Mail; canOpen: boolean }) {
  useLanguage()
  const row = useFocusHandover<HTMLTableRowElement>()
  const { id, recipient, kind, state, reason, created_at } = mail
  return (
    <Table.Tr ref={row}>
      <Table.Td maw={0} w="100%" miw={140}>
        {canOpen ? (
          <Anchor
            component={Link}
            href={`/mails/${id}`}
            data-row-link
            c="inherit"
            fz="sm"
            fw={500}
            display="block"
          >
            <Name>{recipient}</Name>
          </Anchor>
        ) : (
          <Name fz="sm" fw={500}>
            {recipient}
          </Name>
        )}
        {reason !== null && (
          <Name fz="xs" c="dimmed">
            {problemText(reason)}
          </Name>
        )}
        <Box hiddenFrom="sm" fz="xs" c="dimmed">
          <Name>{texts.kinds[kind]}</Name>
          <DateTime value={created_at} />
        </Box>
      </Table.Td>
      <Table.Td visibleFrom="sm">{texts.kinds[kind]}</Table.Td>
      <Table.Td>
        <MailState state={state} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <DateTime value={created_at} />
      </Table.Td>
    </Table.Tr>
  )
})

function TestMail() {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" onClick={open}>
        {texts.test}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={texts.test}>
        <TestForm onClose={close} />
      </Dialog>
    </>
  )
}

const OUTCOME_COLORS = { accepted: 'green', refused: 'red', postponed: 'orange' }

/** It stays open, so that the response of the mail server can be read. */
function TestForm({ onClose }: { onClose(): void }) {
  const client = useClient()
  const [to, setTo] = useState('')
  const mutation = useMutation({ mutationFn: () => client.testMail(to.trim()) })
  const result = mutation.data
  return (
    <DialogForm
      mutation={mutation}
      errorTitle={texts.testFailed}
      submitLabel={texts.testSend}
      isIncomplete={to.trim() === ''}
      onClose={onClose}
    >
      <TextInput
        label={texts.testTo}
        type="email"
        maxLength={254}
        data-autofocus
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
        error={fieldProblems(mutation.error).to?.join(', ')}
      />
      <div role="status">
        {result !== undefined && !mutation.isPending && (
          <Alert color={OUTCOME_COLORS[result.outcome]} title={texts.outcomes[result.outcome]}>
            <bdi dir="auto">{result.response}</bdi>
          </Alert>
        )}
      </div>
    </DialogForm>
  )
}
