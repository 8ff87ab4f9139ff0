/** Fields that are still on their way: who leads to one waits for them. */

/** @type {Promise<unknown>} */
let coming = Promise.resolve();

/** Notes fields that come later. @param {Promise<unknown>} fields */
export function expectFields(fields) {
  coming = Promise.all([coming, fields]);
}

/** Settled once every field that was expected stands, those that were expected meanwhile too. */
export async function fieldsStand() {
  for (let last; last !== coming;) {
    last = coming;
    await last;
  }
}
