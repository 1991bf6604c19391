import {
  Anchor,
  Button,
  Code,
  Group,
  List,
  Paper,
  Progress,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useFocusHandover } from '../components/focus.ts'
import { BackLink } from '../components/list-position.tsx'
import { notify } from '../components/notifications.tsx'
import { Loading, useLeaveWarning, useTitle } from '../components/page.tsx'
import { ErrorAlert } from '../components/page-states.tsx'
import { Name } from '../components/values.tsx'
import { countText, numberText } from '../format.ts'
import { IconAlertTriangle, IconCircleCheck, IconFileSpreadsheet } from '../icons/icons.tsx'
import { useHasScope } from '../session/account.tsx'
import type { PickedFile } from '../uploads/picked-file.ts'
import { useUploads } from '../uploads/uploads.tsx'
import classes from './import.module.css'
import { ImportPreview, ProblemTable } from './import-preview.tsx'
import { changesOf, type Import, importedText, nounOf, useImport } from './use-import.ts'

export function ImportPage() {
  useTitle('Import products')
  const { state, read, send, restart } = useImport()
  const canWrite = useHasScope('write')
  const isSending = state.step === 'sending' && state.failure === undefined
  useLeaveWarning(isSending)
  useDroppedFile(isSending, (file) => void read(file))
  return (
    <Stack gap="md">
      <BackLink list="/products">All products</BackLink>
      <Title order={1} size="h2">
        Import products
      </Title>
      {'fileName' in state && <Name c="dimmed">{state.fileName}</Name>}
      {'preview' in state && <Name c="dimmed">{state.preview.fileName}</Name>}
      <StepContent key={state.step}>
        {state.step === 'choosing' && canWrite && <ChooseFile onFile={(file) => void read(file)} />}
        {state.step === 'choosing' && !canWrite && (
          <Text>
            Your key is read-only. To import products, sign in with a key that has the write or
            manage scope.
          </Text>
        )}
        {state.step === 'reading' && <Loading />}
        {state.step === 'failed' && (
          <>
            <ErrorAlert
              title="Could not preview the import"
              error={state.error}
              isRepeated={false}
              onRetry={state.retry}
            />
            <ChooseAnother onClick={restart} />
          </>
        )}
        {state.step === 'reviewing' && (
          <ImportPreview
            preview={state.preview}
            onSend={() => void send(state.preview)}
            onRestart={restart}
          />
        )}
        {state.step === 'sending' && (
          <Sending
            state={state}
            onRetry={() => void send(state.preview, state.done)}
            onRestart={restart}
          />
        )}
        {state.step === 'done' && <Done preview={state.preview} onRestart={restart} />}
      </StepContent>
    </Stack>
  )
}

/** While the page is open, a dropped file is imported, and not uploaded as an asset. */
function useDroppedFile(isSending: boolean, onFile: (file: File) => void): void {
  const { setTarget } = useUploads()
  const latest = useRef({ isSending, onFile })
  latest.current = { isSending, onFile }

  useEffect(() => {
    const onFiles = ([dropped, ...others]: readonly PickedFile[]) => {
      const title = 'Nothing imported'
      if (latest.current.isSending) {
        notify({ isError: true, title, message: 'An import is running. Wait until it has ended.' })
      } else if (dropped === undefined || others.length > 0) {
        notify({ isError: true, title, message: 'Drop one file, not several.' })
      } else latest.current.onFile(dropped.file)
    }
    setTarget({ text: 'Drop a CSV or JSON file to import products', onFiles })
    return () => setTarget(undefined)
  }, [setTarget])
}

/** Hands the focus to the page when the step ends, because its buttons disappear. */
function StepContent({ children }: { children: ReactNode }) {
  const content = useFocusHandover<HTMLDivElement>()
  return (
    <Stack ref={content} gap="md">
      {children}
    </Stack>
  )
}

type Step<Name extends Import['step']> = Extract<Import, { step: Name }>

function ChooseAnother({ onClick }: { onClick(): void }) {
  return (
    <Button variant="default" onClick={onClick} w="fit-content">
      Choose another file
    </Button>
  )
}

interface SendingProps {
  state: Step<'sending'>
  onRetry(): void
  onRestart(): void
}

function Sending({ state, onRetry, onRestart }: SendingProps) {
  const { done, failure, preview } = state
  const changes = changesOf(preview)
  const total = changes.length
  return (
    <Stack gap="sm" maw={640}>
      <Progress
        value={(done / total) * 100}
        size="lg"
        aria-label="Imported products"
        animated={failure === undefined}
        color={failure === undefined ? 'cyan' : 'orange'}
      />
      <Text role="status">
        {numberText(done)} of {countText(total, nounOf(changes))} imported
      </Text>
      {failure !== undefined && (
        <>
          <ErrorAlert
            title="The import stopped"
            error={
              failure.problems.length > 0
                ? 'The service rejected the products below.'
                : failure.error
            }
            isRepeated={false}
            onRetry={onRetry}
          />
          {failure.problems.length > 0 && (
            <ProblemTable problems={failure.problems} format={preview.format} />
          )}
          <ChooseAnother onClick={onRestart} />
        </>
      )}
    </Stack>
  )
}

function Done({ preview, onRestart }: { preview: Step<'done'>['preview']; onRestart(): void }) {
  const count = (outcome: string) =>
    numberText(preview.compared.filter((product) => product.outcome === outcome).length)
  const { problems, format } = preview
  const isComplete = problems.length === 0
  return (
    <Stack gap="md">
      <Stack gap="sm" align="flex-start" role="status">
        <Group gap="sm" wrap="nowrap">
          {isComplete ? (
            <IconCircleCheck size={32} color="var(--mantine-color-teal-text)" aria-hidden />
          ) : (
            <IconAlertTriangle size={32} color="var(--mantine-color-orange-text)" aria-hidden />
          )}
          <Title order={2} size="h3">
            {importedText(preview)}
          </Title>
        </Group>
        <Text>
          {count('new')} added, {count('changed')} changed, {count('unchanged')} unchanged.
        </Text>
      </Stack>
      <Group>
        <Button component={Link} href="/products">
          View products
        </Button>
        <Button variant="default" onClick={onRestart}>
          Import another file
        </Button>
      </Group>
      {!isComplete && (
        <section aria-labelledby="skipped">
          <Title order={3} size="h5" id="skipped">
            Not imported
          </Title>
          <ProblemTable problems={problems} format={format} />
        </section>
      )}
    </Stack>
  )
}

function ChooseFile({ onFile }: { onFile(file: File): void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <Stack gap="lg">
      <Paper withBorder className={classes.drop}>
        <IconFileSpreadsheet
          size={48}
          stroke={1.2}
          color="var(--mantine-color-anchor)"
          aria-hidden
        />
        <Text fw={600} size="lg">
          CSV or JSON file with your products
        </Text>
        <Text c="dimmed" size="sm">
          Drop it anywhere on this page. You can review all changes before they are imported.
        </Text>
        <input
          ref={input}
          type="file"
          hidden
          aria-label="Product file"
          accept=".csv,.tsv,.txt,.json,text/csv,application/json"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            // Otherwise choosing the same file again, after fixing it, would not count as a change.
            currentTarget.value = ''
            if (file !== undefined) onFile(file)
          }}
        />
        <Button mt="xs" onClick={() => input.current?.click()}>
          Choose file
        </Button>
      </Paper>
      <Instructions />
    </Stack>
  )
}

function Instructions() {
  return (
    <section aria-labelledby="instructions">
      <Title order={2} size="h5" id="instructions" mb="xs">
        How to get a file
      </Title>
      <List spacing="xs" size="sm" classNames={{ root: classes.instructions }}>
        <List.Item>
          <b>Shopify, without an app:</b> open{' '}
          <Code>https://YOUR-SHOP/products.json?limit=250</Code> and save the page. For more
          products, add <Code>&amp;page=2</Code> and so on.
        </List.Item>
        <List.Item>
          <b>Shopify with Matrixify:</b> export products with the columns <Code>ID</Code> and{' '}
          <Code>Variant ID</Code>. Shopify’s own CSV export does not contain these IDs.
        </List.Item>
        <List.Item>
          <b>Any spreadsheet:</b> use the columns <Code>Product ID</Code>, <Code>Variant ID</Code>{' '}
          and <Code>Title</Code>, and optionally <Code>Variant Title</Code>, <Code>SKU</Code>,{' '}
          <Code>Vendor</Code> and <Code>Tags</Code>. Save it as CSV UTF-8. A missing column leaves
          the stored values unchanged; an empty cell clears the value.
        </List.Item>
        <List.Item>
          <b>JSON:</b> use the format of{' '}
          <Anchor href="/docs#putProducts" inherit underline="always">
            PUT /products
          </Anchor>
          .
        </List.Item>
      </List>
    </section>
  )
}
