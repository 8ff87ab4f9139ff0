/** @type {Promise<unknown>} */
let pendingFields = Promise.resolve();

/** @param {Promise<unknown>} fields */
export function expectFields(fields) {
  pendingFields = Promise.all([pendingFields, fields]);
}

export async function fieldsReady() {
  for (let last; last !== pendingFields;) {
    last = pendingFields;
    await last;
  }
}
