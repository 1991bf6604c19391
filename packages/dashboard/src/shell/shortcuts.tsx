import { Kbd, Table } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Dialog } from '../components/dialogs.tsx'
import { useKey } from '../components/focus.ts'

const KEYS: { keys: string[]; does: string }[] = [
  { keys: ['/'], does: 'Search the list' },
  { keys: ['Space'], does: 'Select the asset whose checkbox has the focus' },
  { keys: ['F2'], does: 'Rename the asset whose row has the focus' },
  { keys: ['Ctrl or ⌘', 'Enter'], does: 'Go to the actions for the selected assets' },
  { keys: ['Delete'], does: 'Delete the selected assets, after a question' },
  { keys: ['Esc'], does: 'Close a dialog or a menu' },
  { keys: ['?'], does: 'Show this list' },
]

/** The key `?` shows which keys do what. */
export function Shortcuts() {
  const [isOpen, { open, close }] = useDisclosure()
  useKey('?', open)
  return (
    <Dialog isOpen={isOpen} onClose={close} title="Keyboard shortcuts">
      <Table>
        <Table.Tbody>
          {KEYS.map(({ keys, does }) => (
            <Table.Tr key={does}>
              <Table.Th scope="row" style={{ whiteSpace: 'nowrap' }}>
                {keys.map((key, index) => (
                  <span key={key}>
                    {index > 0 && ' + '}
                    <Kbd>{key}</Kbd>
                  </span>
                ))}
              </Table.Th>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  )
}
