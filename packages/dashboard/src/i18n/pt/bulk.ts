import type { bulk as English } from '../en/bulk.ts'
import type { Translation } from '../texts.ts'

export const bulk: Translation<typeof English> = {
  running: {
    delete: {
      one: 'Excluindo {count} ativo',
      many: 'Excluindo {count} de ativos',
      other: 'Excluindo {count} ativos',
    },
    restore: {
      one: 'Restaurando {count} ativo',
      many: 'Restaurando {count} de ativos',
      other: 'Restaurando {count} ativos',
    },
    attach: {
      one: 'Vinculando {count} ativo',
      many: 'Vinculando {count} de ativos',
      other: 'Vinculando {count} ativos',
    },
    detach: {
      one: 'Desvinculando {count} ativo',
      many: 'Desvinculando {count} de ativos',
      other: 'Desvinculando {count} ativos',
    },
    tag: {
      one: 'Adicionando tags a {count} ativo',
      many: 'Adicionando tags a {count} de ativos',
      other: 'Adicionando tags a {count} ativos',
    },
    untag: {
      one: 'Removendo tags de {count} ativo',
      many: 'Removendo tags de {count} de ativos',
      other: 'Removendo tags de {count} ativos',
    },
    move: {
      one: 'Movendo {count} ativo',
      many: 'Movendo {count} de ativos',
      other: 'Movendo {count} ativos',
    },
  },
  done: '{done} de {total}',
  stop: 'Parar',
  stopped: {
    one: 'Parado após {count} ativo',
    many: 'Parado após {count} de ativos',
    other: 'Parado após {count} ativos',
  },
  stopFailed: 'Não foi possível parar a alteração',
  region: 'Alterações em andamento',
  kind: 'Alteração',
  add: 'Adicionar tags',
  remove: 'Remover tags',
}
