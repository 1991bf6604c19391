import type { errors as German } from '../de/errors.ts'
import type { Translation } from '../texts.ts'

export const errors: Translation<typeof German> = {
  unauthenticated: 'La sesión ya no es válida. Inicie sesión de nuevo.',
  key_expired: 'La clave ha caducado. Inicie sesión con otra.',
  forbidden: 'Su clave no lo permite. Inicie sesión con una clave que tenga más permisos.',
  account_suspended:
    'La cuenta está suspendida: se puede leer, pero no cambiar. Las subidas sin terminar se conservan. Consulte al operador del servicio.',
  account_deleted: 'La cuenta se ha eliminado. El operador del servicio todavía puede restaurarla.',
  not_found: 'No existe o ya no existe. Puede que se acabe de eliminar.',
  too_many_requests: 'Demasiadas solicitudes. Espere un minuto y vuelva a intentarlo.',
  overloaded:
    'El servicio está sobrecargado. No se ha cambiado nada. Vuelva a intentarlo en un momento.',
  internal:
    'Se ha producido un error inesperado en el servicio. Vuelva a intentarlo. Si continúa, el registro del servicio ayudará al operador.',
  storage_unavailable:
    'El almacenamiento no está disponible. No se ha perdido nada. Vuelva a intentarlo en un momento.',
  database_unavailable:
    'La base de datos no está disponible. No se ha perdido nada. Vuelva a intentarlo en un momento.',
  storage_full:
    'El servidor no tiene suficiente espacio libre. Elimine archivos definitivamente, vacíe la papelera o pida al operador que libere espacio.',
  secret_key_missing:
    'El servicio no puede cifrar el secreto porque falta su clave o es incorrecta. Pida al operador que la restaure: «stowage doctor» indica cómo.',
  already_uploaded: 'La subida ya se ha completado.',
  upload_completing: 'La subida se está completando. Espere un momento.',
  not_ready: 'El archivo todavía se está subiendo. Termine o cancele antes la subida.',
  selection_changed:
    'Ahora coinciden otros recursos con la búsqueda. Compruebe la lista y vuelva a intentarlo.',
  damaged: 'El archivo guardado está dañado. Reemplácelo o restaure otra versión.',
  verifying: 'Se está comprobando el archivo guardado. Vuelva a intentarlo en unos segundos.',
  replacement_in_progress:
    'Este archivo ya se está reemplazando. Reanude o descarte esa subida en «Subidas sin terminar».',
  not_a_file: 'Este recurso es un enlace y no tiene versiones.',
  current_version: 'Es la versión actual. Restaure antes otra versión o elimine el recurso.',
  folder_exists:
    'La carpeta de destino ya tiene recursos. Elija otro nombre o combine las carpetas.',
  folder_move_in_progress:
    'Todavía se está moviendo una carpeta. Vuelva a intentarlo cuando termine.',
  bulk_in_progress: 'Todavía hay un cambio en bloque en curso. Vuelva a intentarlo cuando termine.',
  not_undoable: 'Este cambio no se puede deshacer.',
  last_manage_key: 'Es la última clave con el permiso «Administración». Cree antes otra.',
  too_many_keys: 'La cuenta ha alcanzado el número máximo de claves. Revoque una que no necesite.',
  too_many_webhooks:
    'La cuenta ha alcanzado el número máximo de webhooks. Elimine uno que no necesite.',
  webhook_disabled: 'El webhook está desactivado. Actívelo primero.',
  webhook_busy:
    'Demasiadas solicitudes a este webhook esperan respuesta. Vuelva a intentarlo en unos segundos.',
  delivery_expired: 'El evento de esta entrega ya no se conserva y no se puede volver a enviar.',
  mail_not_configured: 'Este servicio no envía correos. Envíe usted mismo la URL al comprador.',
  no_email: 'El pedido no tiene dirección de correo. Añada una.',
  mail_running: 'El correo se está enviando. Espere el resultado.',
  notice_ended: 'El aviso ya ha terminado.',
  order_held: 'El pedido está retenido. Libérelo primero.',
  order_expired: 'El pedido ha caducado. Cambie la fecha de caducidad.',
  order_revoked: 'El pedido se ha revocado. Cree otro.',
  limit_reached:
    'El archivo se ha descargado tantas veces como permite el pedido. Aumente el límite.',
  archive_outdated:
    'Se eliminó o reemplazó un archivo del ZIP. Descárguelo de nuevo desde el principio.',
  too_many_downloads:
    'Hay demasiadas descargas de archivos ZIP en curso. Espere a que termine alguna.',
  body_too_large: 'La solicitud es demasiado grande.',
  timeout: 'El servicio ha tardado demasiado en responder. Vuelva a intentarlo.',
  bad_response: 'Respuesta inesperada. Puede que responda un proxy en lugar del servicio.',
  file_unreadable: 'No se puede leer el archivo. Compruebe que todavía existe y elíjalo de nuevo.',
}
