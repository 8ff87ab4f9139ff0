/** Fields that are still on their way: who leads to one waits for them. */

/** @type {Promise<unknown>} */
let coming = Promise.resolve();

/** Notes fields that come later. @param {Promise<unknown>} fields */
export function expectFields(fields) {
  coming = Promise.all([coming, fields]);
}

/** Resolves once every expected field is in place, also those expected meanwhile. */
export async function fieldsStand() {
  for (let last; last !== coming;) {
    last = coming;
    await last;
  }
}
