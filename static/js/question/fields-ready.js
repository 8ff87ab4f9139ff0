/** @type {Promise<unknown>} */
let coming = Promise.resolve();

/** @param {Promise<unknown>} fields */
export function expectFields(fields) {
  coming = Promise.all([coming, fields]);
}

export async function fieldsReady() {
  for (let last; last !== coming;) {
    last = coming;
    await last;
  }
}
