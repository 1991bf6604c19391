import { Checkbox, Group, TextInput } from '@mantine/core'
import type { Order } from '@stowage/client'
import { type ReactNode, useState } from 'react'
import { DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { orders as texts } from '../i18n/en/orders.ts'
import { useOrderForm } from './use-orders.ts'

/** What the form asks for. Only what differs from the order is present. */
export interface OrderValues {
  label?: string | null
  email?: string | null
  max_downloads?: number | null
  expires_at?: string | null
  inline?: boolean
}

interface OrderFormProps<Result> {
  /** The order to change. Undefined: a new one. */
  order?: Order
  errorTitle: string
  submitLabel: string
  isIncomplete?: boolean
  save(values: OrderValues): Promise<Result>
  onDone(saved: Result): void
  onClose(): void
  /** Fields above those of the form. */
  children?: ReactNode
}

/** The limits of an order, and for whom it is. */
export function OrderForm<Result>({
  order,
  save,
  onDone,
  children,
  ...props
}: OrderFormProps<Result>) {
  const [first] = useState(() => fieldsOf(order))
  const [fields, setFields] = useState(first)
  const mutation = useOrderForm(() => save(changesOf(first, fields)), onDone)
  const problems = fieldProblems(mutation.error)
  const textField = (name: keyof Omit<typeof fields, 'inline'>, wire: string) => ({
    value: fields[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      setFields({ ...fields, [name]: currentTarget.value }),
    error: problems[wire]?.join(', '),
  })
  return (
    <DialogForm mutation={mutation} {...props}>
      {children}
      <TextInput
        label={texts.label}
        description={texts.labelHint}
        dir="auto"
        maxLength={255}
        {...textField('label', 'label')}
      />
      <TextInput
        label={texts.email}
        type="email"
        maxLength={254}
        {...textField('email', 'email')}
      />
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <TextInput
          label={texts.limit}
          description={texts.limitHint}
          type="number"
          min={1}
          max={1_000_000}
          miw={200}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...textField('limit', 'max_downloads')}
        />
        <TextInput
          label={texts.expires}
          description={texts.expiresHint}
          type="date"
          miw={200}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...textField('lastDay', 'expires_at')}
        />
      </Group>
      <Checkbox
        label={texts.inline}
        description={texts.inlineHint}
        checked={fields.inline}
        onChange={({ currentTarget }) => setFields({ ...fields, inline: currentTarget.checked })}
      />
    </DialogForm>
  )
}

function fieldsOf(order: Order | undefined) {
  return {
    label: order?.label ?? '',
    email: order?.email ?? '',
    limit: `${order?.max_downloads ?? ''}`,
    lastDay: order?.expires_at ? dayOf(new Date(order.expires_at)) : '',
    inline: order?.inline ?? false,
  }
}

type Fields = ReturnType<typeof fieldsOf>

/** An expiry that was not touched keeps its time of day. */
function changesOf(first: Fields, { label, email, limit, lastDay, inline }: Fields): OrderValues {
  return {
    ...(label !== first.label && { label: label.trim() || null }),
    ...(email !== first.email && { email: email.trim() || null }),
    ...(limit !== first.limit && { max_downloads: limit === '' ? null : Number(limit) }),
    ...(lastDay !== first.lastDay && { expires_at: lastDay === '' ? null : endOf(lastDay) }),
    ...(inline !== first.inline && { inline }),
  }
}

/** `2026-01-31`, in the time zone of the reader. */
function dayOf(date: Date): string {
  const pad = (value: number) => `${value}`.padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}

function endOf(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString()
}
