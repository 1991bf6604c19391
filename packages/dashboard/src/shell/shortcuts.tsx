import { Kbd, Table } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Dialog } from '../components/dialogs.tsx'
import { useKey } from '../components/focus.ts'
import { shell } from '../i18n/en/shell.ts'

const listKeys = (): { keys: string[]; does: string }[] => [
  { keys: ['/'], does: shell.keySearch },
  { keys: [shell.keySpace], does: shell.keySelect },
  { keys: ['F2'], does: shell.keyRename },
  { keys: [shell.keyCommand, shell.keyEnter], does: shell.keyActions },
  { keys: [shell.keyDel], does: shell.keyDelete },
  { keys: [shell.keyEsc], does: shell.keyClose },
  { keys: ['?'], does: shell.keyShow },
]

/** The key `?` shows which keys do what. */
export function Shortcuts() {
  const [isOpen, { open, close }] = useDisclosure()
  useKey('?', open)
  return (
    <Dialog isOpen={isOpen} onClose={close} title={shell.shortcuts}>
      <Table>
        <Table.Tbody>
          {listKeys().map(({ keys, does }) => (
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
